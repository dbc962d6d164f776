/** The page: sends a question, shows the answer as it arrives, and the gate's decision. */
import { collection, startAccess } from './access.js'
import { answerView, cacheState, errorParts } from './answer.js'
import { badge, el, ms, shorten, VERDICTS, words } from './elements.js'
import { Incomplete, send } from './exchange.js'

const HISTORY_LENGTH = 10

/** @returns {any} an element of its type in index.html */
const byId = (id) => document.getElementById(id)
const form = byId('ask')
const input = byId('question')
const status = byId('status')
const stop = byId('stop')
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
  if (underway !== undefined) return underway.abort()
  input.focus()
  input.select()
})
stop.addEventListener('click', () => underway?.abort())
byId('send').disabled = false
// The examples are about the sample documents.
void startAccess(() => {
  byId('examples').hidden = collection() !== 'default'
})

/** Asks a question, replacing one that is still running. */
async function ask(text, of = collection()) {
  const question = text.trim()
  input.value = question
  if (question === '') return form.reportValidity()
  underway?.abort()
  const mine = (underway = new AbortController())
  const startedMs = performance.now()
  result.setAttribute('aria-busy', 'true')
  status.textContent = 'Judging the evidence …'
  stop.hidden = false
  const outcome = await send(question, of, mine.signal)
  if (mine !== underway) return
  result.removeAttribute('aria-busy')
  if (mine.signal.aborted) {
    // The previous answer stays.
    status.textContent = 'Stopped.'
    if (document.activeElement === stop) input.focus()
  } else {
    const asked = { question, of, heading: headingOf(question), tookMs: () => performance.now() - startedMs }
    if (outcome.error) showError(asked, outcome.error)
    else await showAnswer(asked, outcome, () => mine !== underway)
  }
  if (mine !== underway) return
  underway = undefined
  stop.hidden = true
}

function headingOf(question) {
  return el('h2', { id: 'asked', tabIndex: -1 }, shorten(question, 160))
}

function show(kind, heading, parts) {
  result.replaceChildren(...parts)
  result.className = kind
  result.hidden = false
  byId('intro').hidden = true
  heading.focus()
}

function showError({ question, of, heading, tookMs }, error) {
  show('error', heading, errorParts(heading, askAgain('Try again', question, of), error))
  remember(question, of, 'error', [ms(tookMs())])
  status.textContent = `${error.title}.`
}

/**
 * @param asked the question, and when it was asked
 * @param {Partial<Awaited<ReturnType<typeof send>>>} answer without an error
 * @param isReplaced whether another question was asked in the meantime
 */
async function showAnswer(asked, { about, headers, pieces }, isReplaced) {
  const { question, of, heading, tookMs } = asked
  const view = answerView(heading, { about, headers, collection: of })
  show(about.verdict, heading, view.parts)
  result.classList.add('writing')
  const verdict = `${VERDICTS[about.verdict][0]}, ${words(about.band)} confidence`
  if (about.answered_by === 'model') status.textContent = `${verdict}. The answer is being written …`
  let incomplete
  try {
    for await (const piece of pieces) view.write(piece)
  } catch (thrown) {
    if (!(thrown instanceof Incomplete)) throw thrown
    incomplete = thrown
  }
  if (isReplaced()) return
  const roundTripMs = tookMs()
  view.end({ roundTripMs, incomplete, again: askAgain('Try again', question, of) })
  result.classList.remove('writing')
  if (document.activeElement === stop) heading.focus()
  const isCached = cacheState(headers).kind === 'hit'
  const took = incomplete ? `incomplete after ${ms(roundTripMs)}` : `in ${ms(roundTripMs)}`
  status.textContent = `${verdict}, ${took}${isCached ? ' from the cache' : ''}. Esc returns to the question.`
  remember(question, of, about.verdict, [isCached && 'cached', incomplete && 'incomplete', ms(roundTripMs)])
}

function askAgain(label, question, of) {
  const button = el('button', { type: 'button' }, label)
  button.addEventListener('click', () => void ask(question, of))
  return button
}

function remember(question, of, kind, notes) {
  const again = askAgain(shorten(question, 120), question, of)
  const told = [of === 'default' ? '' : of, ...notes].filter(Boolean).join(', ')
  const list = byId('history').querySelector('ol')
  list.prepend(el('li', {}, badge(kind), again, el('span', { className: 'quiet' }, told)))
  while (list.children.length > HISTORY_LENGTH) list.lastChild.remove()
  byId('history').hidden = false
}
