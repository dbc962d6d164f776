/** The page: sends a question, shows the answer and what the gate thought of it. */
import { collection, credentials, startAccess } from './access.js'
import { answerParts, cacheState, errorParts } from './answer.js'
import { badge, el, ms, shorten, VERDICTS, words } from './elements.js'

const TIMEOUT_MS = 60_000
const HISTORY_LENGTH = 10

const byId = (id) => document.getElementById(id)
const form = byId('ask')
const input = byId('question')
const status = byId('status')
const result = byId('result')
let underway

form.addEventListener('submit', (event) => {
  event.preventDefault()
  void ask(input.value)
})
for (const button of form.querySelectorAll('.examples button')) {
  button.addEventListener('click', () => void ask(button.textContent))
}
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing) return
  input.focus()
  input.select()
})
byId('send').disabled = false
// The examples are about the documents that the gate brings along.
void startAccess(() => {
  byId('examples').hidden = collection() !== 'default'
})

/** Asks; a question asked meanwhile takes the place of the one before it. */
async function ask(text, of = collection()) {
  const question = text.trim()
  input.value = question
  if (question === '') return form.reportValidity()
  underway?.abort()
  const mine = (underway = new AbortController())
  result.setAttribute('aria-busy', 'true')
  status.textContent = 'Judging the evidence …'
  const outcome = await send(question, of, mine.signal)
  if (mine !== underway) return
  show(question, { ...outcome, collection: of })
}

async function send(question, of, replaced) {
  const startedMs = performance.now()
  try {
    const response = await fetch('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials() },
      body: JSON.stringify(of === 'default' ? { question } : { question, collection: of }),
      signal: AbortSignal.any([replaced, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const body = await readJson(response)
    const roundTripMs = performance.now() - startedMs
    if (response.ok && Object.hasOwn(VERDICTS, body?.verdict ?? '') && typeof body.answer === 'string')
      return { body, headers: response.headers, roundTripMs }
    return { error: errorFrom(response, body), roundTripMs }
  } catch (thrown) {
    const late = thrown?.name === 'TimeoutError'
    return {
      error: late
        ? { title: 'The gate took too long', message: `There was no answer within ${TIMEOUT_MS / 1000} seconds.` }
        : { title: 'The gate cannot be reached', message: 'Check the connection, and that the Worker is running.' },
      roundTripMs: performance.now() - startedMs,
    }
  }
}

async function readJson(response) {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function errorFrom(response, body) {
  const { code, message, request_id: requestId } = body?.error ?? {}
  return {
    title: response.status < 500 ? 'The gate did not take this question' : 'The gate could not answer',
    message: message ?? 'The answer could not be read.',
    status: response.status,
    code,
    requestId,
    retryAfter: response.headers.get('retry-after'),
  }
}

function show(question, outcome) {
  const { error, body, roundTripMs, collection: of } = outcome
  const kind = error ? 'error' : body.verdict
  const heading = el('h2', { id: 'asked', tabIndex: -1 }, shorten(question, 160))
  result.replaceChildren(
    ...(error ? errorParts(heading, askAgain('Try again', question, of), error) : answerParts(heading, outcome)),
  )
  result.className = kind
  result.hidden = false
  result.removeAttribute('aria-busy')
  byId('intro').hidden = true
  const cache = error ? undefined : cacheState(outcome.headers)
  remember(question, of, kind, [of === 'default' ? '' : of, cache?.kind === 'hit' ? 'cached' : '', ms(roundTripMs)])
  status.textContent = error
    ? `${error.title}.`
    : `${VERDICTS[kind][0]}, ${words(body.band)} confidence, in ${ms(roundTripMs)}${cache.kind === 'hit' ? ' from the cache' : ''}. Esc returns to the question.`
  heading.focus()
}

function askAgain(label, question, of) {
  const button = el('button', { type: 'button' }, label)
  button.addEventListener('click', () => void ask(question, of))
  return button
}

function remember(question, of, kind, notes) {
  const again = askAgain(shorten(question, 120), question, of)
  const list = byId('history').querySelector('ol')
  list.prepend(el('li', {}, badge(kind), again, el('span', { className: 'quiet' }, notes.filter(Boolean).join(', '))))
  while (list.children.length > HISTORY_LENGTH) list.lastChild.remove()
  byId('history').hidden = false
}
