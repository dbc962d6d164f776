/** Shows an answer, a refusal or an error, with the gate's decision. */
import {
  badge,
  bar,
  capital,
  duration,
  el,
  floored,
  folding,
  isWide,
  ms,
  part,
  placed,
  plain,
  rows,
  VERDICTS,
  webLink,
  words,
} from './elements.js'
import { markdown } from './markdown.js'
import { writingInto } from './writing.js'

const ANSWERED_BY = {
  model: 'Written by a model from the sources.',
  search: 'The passages as they stand in the documents. No model wrote this.',
}
const OBSERVED = 'Answered all the same: the gate observes, and refuses nothing yet.'
/** Display order of score kinds; others follow. */
const KINDS = ['convex', 'cosine', 'bm25']
/** Maximum of each kind's scale. A kind without one is scaled to its best chunk. */
const SCALES = { convex: 1, cosine: 1, 'cross-encoder': 1, grade: 3 }
/** Number of search results and chunks shown; the others are collapsed. */
const RESULTS_SHOWN = { wide: 3, narrow: 1 }
const CHUNKS_SHOWN = 5
/** Meaning of a gate's threshold, by the name of its setting. */
const THRESHOLDS = { refuseBelow: 'refuse below', adviseBelow: 'advise below', unusableBelow: 'unusable below' }

export function errorParts(heading, again, { title, message, status: httpStatus, code, requestId, retryAfter }) {
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

/**
 * An answer whose text is still to come.
 *
 * @returns its parts; `write` adds text, `end` adds what depends on the whole text, or why it is incomplete
 */
export function answerView(heading, { about, headers, collection }) {
  const { verdict, detail } = about
  const answer = el('div', { className: 'answer prose', dir: 'auto' })
  const writing = writingInto(answer)
  const roundTrip = el('span', {}, '…')
  const reading = el(
    'div',
    { className: 'card reading' },
    heading,
    el('div', { className: 'verdict' }, badge(verdict), el('span', {}, VERDICTS[verdict][1])),
    verdict === 'refuse' && observes(headers) && el('p', { className: 'quiet' }, OBSERVED),
    ...markParts(about),
    about.caution && el('p', { className: 'caution' }, about.caution),
    answer,
  )
  const facts = el(
    'div',
    { className: 'card facts' },
    confidencePart(about),
    detail && folding('Gates', el('ul', { className: 'findings' }, ...detail.findings.map(findingItem))),
    detail?.explanation?.analysis?.length > 0 &&
      folding('Retrieval', el('ul', {}, ...detail.explanation.analysis.map(({ text }) => el('li', {}, text)))),
    folding('This response', exchangeRows(about, headers, roundTrip, collection)),
    detail && signalsPart(detail.signals),
  )
  return {
    parts: [reading, facts],
    write: (words) => writing.write(words),
    end({ roundTripMs, incomplete, again }) {
      const cited = citedNumbers(writing.text(), about.sources)
      writing.end(citationOf(cited))
      roundTrip.textContent = ms(roundTripMs)
      const more = [
        incomplete && incompletePart(incomplete, again),
        ANSWERED_BY[about.answered_by] && el('p', { className: 'quiet' }, ANSWERED_BY[about.answered_by]),
        ...partsBelow(about, cited),
      ]
      reading.append(...more.filter(Boolean))
      if (detail?.chunks.length > 0) facts.after(chunksPart(detail.chunks, about.sources, cited))
    },
  }
}

function incompletePart({ message, code, requestId }, again) {
  return el(
    'div',
    { className: 'caution incomplete' },
    el('p', { role: 'alert' }, el('strong', {}, 'This answer is incomplete.'), ` ${message}`),
    code &&
      rows([
        ['Code', el('code', {}, code)],
        ['Request', requestId && el('code', {}, requestId)],
      ]),
    again,
  )
}

/** The parts below the text of an answer or a refusal. */
function partsBelow(about, cited) {
  if (about.refused) return refusalParts(about)
  return about.passages ? [resultsPart(about)] : sourceParts(about, cited)
}

/** The badge and the banner of the profile that judged. */
function markParts({ badge: mark, banner }) {
  return [
    mark && el('p', {}, el('span', { className: `mark ${mark.look}` }, mark.text)),
    banner && el('p', { className: 'banner' }, banner),
  ]
}

function refusalParts({ refusal_reason: reason, suggestions, closest }) {
  return [
    part('Why', el('p', {}, reason)),
    closest?.length > 0 &&
      part(
        'Closest passages',
        el('p', { className: 'quiet' }, 'Near the question; they may not answer it.'),
        el('ul', { className: 'bullets', dir: 'auto' }, ...closest.map(closestItem)),
      ),
    suggestions?.length > 0 &&
      part(
        'What helps',
        el('ul', { className: 'bullets', dir: 'auto' }, ...suggestions.map((each) => el('li', {}, each))),
      ),
  ]
}

/** On one line if it fits. */
function closestItem(passage) {
  const { name, path, source } = namesOf(passage)
  const label = source === undefined ? undefined : webLink(source, source, ' ↗')
  return el(
    'li',
    {},
    el('strong', {}, name),
    path && ` › ${path}`,
    source && el('span', { className: 'quiet' }, ' ', label ?? source),
  )
}

/** A warning before the first source of a flagged retrieval. */
function flagItem({ detail }) {
  const confidence = detail?.explanation?.confidence ?? detail?.explanation?.glance
  return (
    confidence?.should_flag_for_review === true && el('li', { className: 'caution' }, `⚠️ ${confidence.interpretation}`)
  )
}

/** The passages that are the answer without a model. */
function resultsPart(about) {
  const items = about.passages.map((passage) =>
    el(
      'li',
      {},
      ...passageName(passage),
      el('div', { className: 'passage prose', dir: 'auto' }, ...markdown(passage.text)),
    ),
  )
  const rest = items.splice(isWide() ? RESULTS_SHOWN.wide : RESULTS_SHOWN.narrow)
  return part(
    'Search results',
    el('ol', { className: 'results' }, flagItem(about), ...items),
    rest.length > 0 && foldedRest(rest.length, el('ol', { className: 'results' }, ...rest)),
  )
}

/** Collapsed content, with the number of items. */
function foldedRest(count, ...children) {
  return el('details', {}, el('summary', {}, `${count} more`), ...children)
}

/** The cited sources; the others are collapsed. */
function sourceParts(about, cited) {
  const { sources } = about
  const warning = flagItem(about)
  const list = (chosen, before) => el('ul', { className: 'sources' }, before, ...chosen.map(sourceItem))
  const first = sources.filter(({ number }) => cited.has(number))
  const rest = sources.filter(({ number }) => !cited.has(number))
  const count = `${rest.length} more ${rest.length === 1 ? 'passage was' : 'passages were'} at hand, not cited`
  return [
    (first.length > 0 || warning) && part('Sources', list(first, warning)),
    rest.length > 0 && el('details', {}, el('summary', {}, count), list(rest)),
  ]
}

function sourceItem({ number, ...passage }) {
  return el(
    'li',
    { id: `source-${number}`, tabIndex: -1 },
    el('span', { className: 'number' }, `[${number}]`),
    el('div', {}, ...passageName(passage)),
  )
}

function passageName(passage) {
  const { name, path, source } = namesOf(passage)
  return [
    el('strong', {}, name),
    path && el('div', { className: 'quiet' }, path),
    source && el('div', { className: 'quiet' }, webLink(source, source, ' ↗') ?? source),
  ]
}

/** The parts of a passage's name, without repetition. */
function namesOf({ title, section, document_id: documentId, source }) {
  const name = title ?? documentId ?? source ?? 'A passage'
  const path = section?.startsWith(`${name} › `) ? section.slice(name.length + 3) : section
  return { name, path: path === name ? undefined : path, source: source === name ? undefined : source }
}

/** The thresholds that the confidence was compared with, ascending. */
function thresholdsOf({ confidence, findings, gates = [] }) {
  const found = new Map()
  for (const { gate, actual, threshold } of findings) {
    if (actual !== confidence) continue
    const settings = gates
      .map((each) => ({ ...each, ...each.settings }))
      .find((each) => (each.gate?.name ?? each.gate) === gate)
    const named = Object.entries(THRESHOLDS).flatMap(([name, meaning]) =>
      typeof settings?.[name] === 'number' ? [[settings[name], meaning]] : [],
    )
    for (const [value, meaning] of named.length > 0 ? named : [[threshold, 'threshold']]) {
      if (typeof value === 'number') found.set(`${meaning} ${value}`, { value, meaning })
    }
  }
  return [...found.values()].sort((one, other) => one.value - other.value)
}

function confidencePart({ verdict, band, detail }) {
  if (!detail) {
    return part('Confidence', el('p', { className: `confidence ${verdict}` }, el('strong', {}, capital(words(band)))))
  }
  const { confidence } = detail
  const thresholds = thresholdsOf(detail)
  const gauge = bar(confidence, 'wide')
  const scale = el('div', { className: 'scale', ariaHidden: 'true' })
  for (const [at, { value }] of thresholds.entries()) {
    gauge.append(placed(el('b'), 'left', value))
    // Labels that would overlap are placed beside their ticks.
    const close = thresholds.some((other) => other.value !== value && Math.abs(other.value - value) < 0.18)
    const side = close ? (at === 0 ? 'before' : 'after') : 'under'
    scale.append(placed(el('span', { className: `number ${side}` }, plain(value)), 'left', value))
  }
  const labels = thresholds.map(({ value, meaning }) => el('li', {}, `${capital(meaning)} ${plain(value)}`))
  const figure = el('strong', {}, confidence === undefined ? '–' : floored(confidence))
  const section = part(
    'Confidence',
    el('p', { className: 'confidence' }, figure, `${words(band)} confidence`),
    gauge,
    thresholds.length > 0 && scale,
    labels.length > 0 && el('ul', { className: 'thresholds', ariaLabel: 'Thresholds' }, ...labels),
  )
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

const observes = (headers) => /;\s*mode=observe\b/.test(headers.get('rag-gate') ?? '')

function exchangeRows(about, headers, roundTrip, collection) {
  const gate = headers.get('rag-gate') ?? ''
  const timings = [...(headers.get('server-timing') ?? '').matchAll(/([\w-]+);dur=([\d.]+)/g)]
  return rows([
    ['Cache', ...cacheWords(cacheState(headers))],
    ['Collection', el('code', {}, collection)],
    ['Policy', el('code', {}, /policy="([^"]*)"/.exec(gate)?.[1] ?? '–')],
    ['Reason', el('code', {}, about.reason_code)],
    ...timings.map(([, name, dur]) => [name === 'total' ? 'In the Worker' : capital(words(name)), ms(Number(dur))]),
    ['Round trip', roundTrip],
    ['Decision', el('code', {}, about.decision_id)],
  ])
}

/** @see RFC 9211 */
export function cacheState(headers) {
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
  return el('details', {}, el('summary', {}, `All ${all.length} signals, as measured`), rows(all))
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
  const section = folding(
    `Evidence: ${chunks.length} ${chunks.length === 1 ? 'chunk' : 'chunks, best first'}`,
    el('p', { className: 'quiet' }, 'Bars run from 0 to 1; those of BM25 to its best chunk.'),
    el('ol', { className: 'chunks' }, ...items),
    rest.length > 0 && foldedRest(rest.length, el('ol', { className: 'chunks', start: CHUNKS_SHOWN + 1 }, ...rest)),
  )
  section.classList.add('card', 'evidence')
  return section
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
      ...passageName({ ...chunk, source: undefined }),
      isCited && el('div', { className: 'quiet' }, 'Cited in the answer'),
      el(
        'details',
        {},
        el('summary', {}, 'Read the passage'),
        el('div', { className: 'passage prose', dir: 'auto' }, ...markdown(chunk.text)),
      ),
    ),
    el('dl', { className: 'scores' }, ...scores),
  )
}

/** Links a number in the answer to its source, if there is one. */
function citationOf(cited) {
  return (number) =>
    cited.has(number)
      ? el('a', { href: `#source-${number}`, className: 'citation', ariaLabel: `Source ${number}` }, `[${number}]`)
      : undefined
}

/** Parsed as displayed, so that numbers in code are not citations. */
function citedNumbers(answer, sources) {
  const named = new Set()
  markdown(answer, { citation: (number) => void named.add(number) })
  return new Set(sources.map(({ number }) => number).filter((number) => named.has(number)))
}

function byKind(scores) {
  const place = (kind) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length)
  return Object.entries(scores).sort(([a], [b]) => place(a) - place(b))
}
