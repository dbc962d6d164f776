/**
 * The page: sends a question, shows the answer and what the gate thought of it. Whatever comes from documents, models or
 * people becomes text nodes and checked links, never markup.
 */
const TIMEOUT_MS = 60_000
const HISTORY_LENGTH = 10

const VERDICTS = {
  pass: ['Pass', 'The evidence supports an answer.'],
  advise: ['Advise', 'Read the answer with care.'],
  refuse: ['Refuse', 'The evidence does not support an answer.'],
  skip: ['Skip', ''],
  error: ['Error', ''],
}
const MANNERS = {
  quoted: 'Quoted from the sources, word for word. No model wrote this.',
  written: 'Written by a model from the sources.',
}
/** The order in which score kinds are shown; others follow. */
const KINDS = ['convex', 'cosine', 'bm25']
/** Where a kind's scale ends. A kind without an end is measured against its best chunk. */
const SCALES = { convex: 1, cosine: 1, 'cross-encoder': 1, grade: 3 }
/** Chunks shown at once; the others are folded away. */
const CHUNKS_SHOWN = 5

const byId = (id) => document.getElementById(id)
const form = byId('ask')
const input = byId('question')
const status = byId('status')
const result = byId('result')
let asking

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

/** Asks; a question asked meanwhile takes the place of the one before it. */
async function ask(text) {
  const question = text.trim()
  input.value = question
  if (question === '') return form.reportValidity()
  asking?.abort()
  const mine = (asking = new AbortController())
  result.setAttribute('aria-busy', 'true')
  status.textContent = 'Judging the evidence …'
  const outcome = await send(question, mine.signal)
  if (mine !== asking) return
  show(question, outcome)
}

async function send(question, replaced) {
  const startedMs = performance.now()
  try {
    const response = await fetch('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question }),
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
  const { error, body, roundTripMs } = outcome
  const kind = error ? 'error' : body.verdict
  const heading = el('h2', { id: 'asked', tabIndex: -1 }, shorten(question, 160))
  result.replaceChildren(...(error ? errorParts(heading, question, error) : answerParts(heading, outcome)))
  result.className = kind
  result.hidden = false
  result.removeAttribute('aria-busy')
  byId('intro').hidden = true
  const cache = error ? undefined : cacheState(outcome.headers)
  remember(question, kind, [cache?.kind === 'hit' ? 'cached' : '', ms(roundTripMs)])
  status.textContent = error
    ? `${error.title}.`
    : `${VERDICTS[kind][0]}, ${words(body.band)} confidence, in ${ms(roundTripMs)}${cache.kind === 'hit' ? ' from the cache' : ''}. Esc returns to the question.`
  heading.focus()
}

function errorParts(heading, question, { title, message, status: httpStatus, code, requestId, retryAfter }) {
  const again = el('button', { type: 'button' }, 'Try again')
  again.addEventListener('click', () => void ask(question))
  return [
    el(
      'div',
      { className: 'card reading' },
      heading,
      el('div', { className: 'verdict', role: 'alert' }, badge('error'), el('strong', {}, title)),
      el('p', { className: 'answer' }, message),
      rows([
        ['Status', httpStatus],
        ['Code', code && el('code', {}, code)],
        ['Request', requestId && el('code', {}, requestId)],
        ['Try again after', retryAfter && `${retryAfter} s`],
      ]),
      again,
    ),
  ]
}

function answerParts(heading, { body, headers, roundTripMs }) {
  const { verdict, detail } = body
  const cited = citedNumbers(body.answer, body.sources)
  const reading = el(
    'div',
    { className: 'card reading' },
    heading,
    el('div', { className: 'verdict' }, badge(verdict), el('span', {}, VERDICTS[verdict][1])),
    body.caution && el('p', { className: 'caution' }, body.caution),
    el('p', { className: 'answer' }, ...withCitations(body.answer, cited)),
    MANNERS[body.manner] && el('p', { className: 'quiet' }, MANNERS[body.manner]),
    ...(body.refused ? refusalParts(body) : sourceParts(body.sources, cited)),
  )
  const facts = el(
    'div',
    { className: 'card facts' },
    confidencePart(body),
    detail && part('Gates', el('ul', { className: 'findings' }, ...detail.findings.map(findingItem))),
    part('This response', exchangeRows(body, headers, roundTripMs)),
    detail && part('Signals', signalsPart(detail.signals)),
  )
  return [reading, facts, detail?.chunks.length > 0 && chunksPart(detail.chunks, body.sources, cited)].filter(Boolean)
}

function refusalParts({ refusal_reason: reason, suggestions }) {
  return [
    part('Why', el('p', {}, reason)),
    suggestions?.length > 0 &&
      part('What helps', el('ul', { className: 'bullets' }, ...suggestions.map((each) => el('li', {}, each)))),
  ]
}

function sourceParts(sources, cited) {
  const list = (chosen) => el('ul', { className: 'sources' }, ...chosen.map(sourceItem))
  const first = sources.filter(({ number }) => cited.has(number))
  const rest = sources.filter(({ number }) => !cited.has(number))
  return [
    first.length > 0 && part('Sources', list(first)),
    rest.length > 0 &&
      el('details', {}, el('summary', {}, `${rest.length} more passages were at hand, not cited`), list(rest)),
  ]
}

function sourceItem({ number, source, ...passage }) {
  return el(
    'li',
    { id: `source-${number}`, tabIndex: -1 },
    el('span', { className: 'number' }, `[${number}]`),
    el('div', {}, ...passageName(passage), source && el('div', { className: 'quiet' }, linkTo(source))),
  )
}

function passageName({ title, section, document_id: documentId }) {
  const name = title ?? documentId
  const path = section?.startsWith(`${name} › `) ? section.slice(name.length + 3) : section
  return [el('strong', {}, name), path && path !== name && el('div', { className: 'quiet' }, path)]
}

/** Only web addresses become links: a document may call anything its source. */
function linkTo(source) {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(source)) return source
  return el('a', { href: source, target: '_blank', rel: 'noopener noreferrer nofollow' }, source, ' ↗')
}

/** Three digits, never rounded up: a confidence below a threshold must not read like it. */
function floored(confidence) {
  return (Math.floor(confidence * 1000) / 1000).toFixed(3)
}

function confidencePart({ verdict, band, detail }) {
  if (!detail) {
    return part('Confidence', el('p', { className: `confidence ${verdict}` }, el('strong', {}, capital(words(band)))))
  }
  const { confidence, findings } = detail
  const gauge = bar(confidence, 'wide')
  for (const { actual, threshold } of findings) {
    if (actual === confidence) gauge.append(placed(el('b'), 'left', threshold))
  }
  const figure = el('strong', {}, confidence === undefined ? '–' : floored(confidence))
  const section = part('Confidence', el('p', { className: 'confidence' }, figure, `${words(band)} confidence`), gauge)
  section.className = verdict
  return section
}

function findingItem({ gate, outcome, code, message, stage }) {
  return el(
    'li',
    {},
    badge(outcome),
    el('code', {}, gate),
    el('p', {}, message),
    el(
      'p',
      { className: 'quiet' },
      `${words(code)}, ${stage === 'pre-generation' ? 'before' : 'after'} the answer was made`,
    ),
  )
}

function exchangeRows(body, headers, roundTripMs) {
  const gate = headers.get('rag-gate') ?? ''
  const timings = [...(headers.get('server-timing') ?? '').matchAll(/([\w-]+);dur=([\d.]+)/g)]
  return rows([
    ['Cache', ...cacheWords(cacheState(headers))],
    ['Policy', el('code', {}, /policy="([^"]*)"/.exec(gate)?.[1] ?? '–')],
    ['Reason', el('code', {}, body.reason_code)],
    ...timings.map(([, name, dur]) => [name === 'total' ? 'In the Worker' : capital(words(name)), ms(Number(dur))]),
    ['Round trip', ms(roundTripMs)],
    ['Decision', el('code', {}, body.decision_id)],
  ])
}

/** @see RFC 9211 */
function cacheState(headers) {
  const field = headers.get('cache-status') ?? ''
  const number = (text) => (text === null || text === undefined ? undefined : Number(text))
  return {
    kind: /;\s*hit\b/.test(field) ? 'hit' : (/;\s*fwd=([\w-]+)/.exec(field)?.[1] ?? 'none'),
    ageSeconds: number(headers.get('age')),
    ttlSeconds: number(/;\s*ttl=(-?\d+)/.exec(field)?.[1]),
  }
}

function cacheWords({ kind, ageSeconds, ttlSeconds }) {
  if (kind !== 'hit') return [kind]
  return [
    el('span', { className: 'hit' }, 'hit'),
    ageSeconds === undefined ? '' : `, stored ${duration(ageSeconds)} ago`,
    ttlSeconds === undefined ? '' : `, ${duration(ttlSeconds)} left`,
  ]
}

function signalsPart(signals) {
  const all = signalRows(signals)
  return el('details', {}, el('summary', {}, `All ${all.length}, as measured`), rows(all))
}

function signalRows({ curves, retrieval, ...signals }) {
  const { scores: _, ...measured } = retrieval ?? {}
  return [
    ...Object.entries({ ...signals, ...measured }).map(([name, value]) => [
      capital(words(name)),
      el('span', { className: 'number' }, plain(value)),
    ]),
    ...byKind(curves ?? {}).map(([kind, { scores }]) => [
      `Scores by ${kind}`,
      el('span', { className: 'number' }, `${scores.length}, top ${plain(scores[0])}`),
    ]),
  ]
}

function chunksPart(chunks, sources, cited) {
  const ends = {}
  for (const { scores } of chunks) {
    for (const [kind, score] of Object.entries(scores)) ends[kind] = SCALES[kind] ?? Math.max(ends[kind] ?? 0, score)
  }
  const citedIds = new Set(sources.filter(({ number }) => cited.has(number)).map(({ id }) => id))
  const items = chunks.map((chunk, at) => chunkItem(chunk, at + 1, citedIds.has(chunk.id), ends))
  const rest = items.splice(CHUNKS_SHOWN)
  return el(
    'section',
    { className: 'card evidence' },
    el('h3', {}, `Evidence: ${chunks.length} chunks, best first`),
    el('p', { className: 'quiet' }, 'Bars run from 0 to 1; those of BM25 to its best chunk.'),
    el('ol', { className: 'chunks' }, ...items),
    rest.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, `${rest.length} more`),
        el('ol', { className: 'chunks', start: CHUNKS_SHOWN + 1 }, ...rest),
      ),
  )
}

function chunkItem(chunk, rank, isCited, ends) {
  const scores = byKind(chunk.scores).map(([kind, score]) =>
    el(
      'div',
      {},
      el('dt', {}, kind),
      el('dd', { ariaHidden: 'true' }, bar(score / ends[kind])),
      el('dd', { className: 'number' }, plain(score)),
    ),
  )
  return el(
    'li',
    {},
    el('span', { className: 'number quiet' }, String(rank)),
    el(
      'div',
      {},
      ...passageName(chunk),
      isCited && el('div', { className: 'quiet' }, 'Cited in the answer'),
      el('details', {}, el('summary', {}, 'Read the passage'), el('pre', {}, chunk.text)),
    ),
    el('dl', { className: 'scores' }, ...scores),
  )
}

function remember(question, kind, notes) {
  const again = el('button', { type: 'button' }, shorten(question, 120))
  again.addEventListener('click', () => void ask(question))
  const list = byId('history').querySelector('ol')
  list.prepend(el('li', {}, badge(kind), again, el('span', { className: 'quiet' }, notes.filter(Boolean).join(', '))))
  while (list.children.length > HISTORY_LENGTH) list.lastChild.remove()
  byId('history').hidden = false
}

/** The answer with its `[1]` as links, where there is such a source. */
function withCitations(answer, cited) {
  return answer.split(/\[(\d{1,3})\]/).map((piece, at) => {
    if (at % 2 === 0) return piece
    if (!cited.has(Number(piece))) return `[${piece}]`
    return el('a', { href: `#source-${Number(piece)}`, ariaLabel: `Source ${piece}` }, `[${piece}]`)
  })
}

function citedNumbers(answer, sources) {
  const named = new Set([...answer.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)))
  return new Set(sources.map(({ number }) => number).filter((number) => named.has(number)))
}

function part(title, ...children) {
  return el('section', {}, el('h3', {}, title), ...children)
}

function rows(entries) {
  const shown = entries.filter(([, first]) => first !== undefined && first !== null && first !== '')
  return el(
    'dl',
    { className: 'rows' },
    ...shown.map(([name, ...values]) => el('div', {}, el('dt', {}, name), el('dd', {}, ...values))),
  )
}

function badge(outcome) {
  return el('span', { className: `badge ${outcome}` }, VERDICTS[outcome]?.[0] ?? outcome)
}

function bar(share, more = '') {
  return el('span', { className: `bar ${more}` }, placed(el('i'), 'width', share))
}

function placed(element, side, share) {
  element.style[side] = `${Math.min(1, Math.max(0, share || 0)) * 100}%`
  return element
}

/** An element with properties and children; strings become text nodes, what is missing is left out. */
function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(
    ...children.filter((child) => child !== undefined && child !== null && child !== false && child !== ''),
  )
  return element
}

function byKind(scores) {
  const place = (kind) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length)
  return Object.entries(scores).sort(([a], [b]) => place(a) - place(b))
}

/** `very-low`, `confidence_low`, `sentenceCoverage` as words. */
function words(name) {
  return String(name)
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
}

function shorten(text, length) {
  return text.length > length ? `${text.slice(0, length)} …` : text
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function plain(value) {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value)
}

function ms(value) {
  return `${Math.round(value)} ms`
}

function duration(seconds) {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
