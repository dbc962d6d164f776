/** `rag-gate query "…"`: asks a question; `--debug` explains the decision. */
import { CommandError } from './command-error.ts'
import { command, only } from './command.ts'
import {
  ask,
  type AskReply,
  type ConfidenceGlance,
  type ExplanationReply,
  failureOf,
  type Form,
  type PassageName,
  requireForm,
} from './gate-client.ts'
import { jsonText, oneLine, type Piece, type Terminal } from './terminal.ts'

export const queryCommand = command({
  name: 'query',
  about: 'Asks a question and prints the answer with its sources, or the refusal with its reason.',
  usage: ['query "<question>" [--collection <id>] [--debug]'],
  notes: ['--debug needs a key with the scope admin. A refusal is an answer: the exit code is 0.'],
  options: {
    collection: { type: 'string', value: 'id', about: 'the collection to search; "default" otherwise' },
    debug: { type: 'boolean', about: 'what the gate saw, the decision and why' },
  },
  async run({ terminal, words, given, json, gate }) {
    const question = only(words, 'a question, in quotation marks')
    const { collection, debug } = given
    const reply = await ask(gate(), question, collection === undefined ? {} : { collection })
    if (reply.status >= 400) throw failureOf(reply.status, JSON.stringify(reply.body))
    requireForm(reply.body, REPLY)
    if (debug && reply.body.detail === undefined) {
      throw new CommandError('--debug needs a key with the scope admin')
    }
    if (json) terminal.out(jsonText(reply.body))
    else show(reply, debug, terminal)
    return 0
  },
})

const PASSAGE = { 'document_id?': 'string', 'title?': 'string', 'section?': 'string', 'source?': 'string' }
const REPLY: Form = {
  answer: 'string',
  verdict: 'string',
  'caution?': 'string',
  'cost?': 'string',
  'refusal_reason?': 'string',
  'suggestions?': ['string'],
  'closest?': [PASSAGE],
  'sources?': [PASSAGE],
  'passages?': [{ ...PASSAGE, text: 'string' }],
  'detail?': {
    findings: [{ gate: 'string', outcome: 'string', message: 'string' }],
    chunks: [{ document_id: 'string', scores: 'object' }],
    'explanation?': {
      facts: [{ label: 'string', value: 'string' }],
      decision: 'string',
      'reason?': 'string',
      checks: [{ text: 'string' }],
      analysis: [{ text: 'string' }],
    },
  },
}

const OBSERVED = 'Not supported, and answered all the same: the gate observes, and refuses nothing yet.'

function show({ headers, body }: AskReply, debug: boolean, { out }: Terminal): void {
  const { detail, refused, verdict } = body
  const explanation = detail?.explanation
  const confidence = confidenceOf(explanation)
  if (verdict === 'refuse' && !refused) out({ text: OBSERVED, colour: 'yellow' }, '\n')
  out(body.answer)
  if (body.caution !== undefined) out({ text: `⚠️ ${body.caution}`, colour: 'yellow' })
  if (refused) showRefusal(body, debug, out)
  else if (body.passages !== undefined) showPassages(body.passages, confidence, out)
  else showSources(body, confidence, out)
  if (confidence !== undefined) out('\n', ...confidenceLine(confidence))
  if (body.cost !== undefined) out(`\n💰 ${body.cost}`)
  if (!debug || detail === undefined) return
  out('\n', ...blockOf(explanation ?? withoutExplanation(body)))
  const [top] = detail.chunks
  const scores = Object.entries(top?.scores ?? {}).map(([kind, score]) => `${kind} ${score.toFixed(3)}`)
  out('\nRetrieval:')
  for (const { text } of explanation?.analysis ?? []) out(`  ${text}`)
  out(`  top chunk: ${top === undefined ? 'none' : `${top.document_id} (${scores.join(', ')})`}`)
  out(`  cache: ${headers.get('cache-status') ?? 'none'}`)
  out(`  timings: ${headers.get('server-timing') ?? 'none'}`)
}

function showRefusal(body: AskReply['body'], debug: boolean, out: Terminal['out']): void {
  const { refusal_reason: reason, closest = [], suggestions = [] } = body
  // With --debug, the explanation already has the reason.
  if (!debug && reason !== undefined) out(`Reason: ${reason}`)
  if (closest.length > 0) out('\nClosest passages:')
  for (const passage of closest) out(`  ${nameOf(passage)}`)
  if (suggestions.length > 0) out('\nWhat helps:')
  for (const suggestion of suggestions) out(`  ${suggestion}`)
}

/** Prints search results with their texts, indented to distinguish them from the command's own output. */
function showPassages(
  passages: NonNullable<AskReply['body']['passages']>,
  confidence: ConfidenceGlance | undefined,
  out: Terminal['out'],
): void {
  out()
  warnWhereFlagged(confidence, out)
  const shown = passages.map(
    (passage, at) => `[${at + 1}] ${nameOf(passage)}\n${passage.text.replaceAll(/^(?=.)/gm, '    ')}`,
  )
  out(shown.join('\n\n'))
}

/** Prints the sources that the answer cites, or all if it cites none. */
function showSources(
  { answer, sources = [] }: AskReply['body'],
  confidence: ConfidenceGlance | undefined,
  out: Terminal['out'],
): void {
  const named = new Set([...answer.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)))
  const cited = sources.filter(({ number }) => named.has(number))
  const shown = cited.length === 0 ? sources : cited
  if (shown.length > 0) out()
  warnWhereFlagged(confidence, out)
  for (const source of shown) out(`[${source.number}] ${nameOf(source)}`)
  const rest = sources.length - shown.length
  if (rest > 0)
    out({ text: `${rest} more ${rest === 1 ? 'passage was' : 'passages were'} at hand, not cited`, colour: 'dim' })
}

/** Printed before the first source of a flagged retrieval. */
function warnWhereFlagged(confidence: ConfidenceGlance | undefined, out: Terminal['out']): void {
  if (confidence?.should_flag_for_review === true) out({ text: `⚠️ ${confidence.interpretation}`, colour: 'yellow' })
}

function nameOf({ document_id: id, title, section, source }: PassageName): string {
  return [...new Set([id ?? source ?? title, section].filter((part) => part !== undefined))].map(oneLine).join(' · ')
}

/** The confidence, if the policy has one of this form; presets may report another. */
function confidenceOf(explanation: ExplanationReply | undefined): ConfidenceGlance | undefined {
  const told: Partial<ConfidenceGlance> | undefined = explanation?.confidence ?? explanation?.glance
  const { overall_confidence: value, interpretation, should_flag_for_review: flagged } = told ?? {}
  if (typeof value !== 'number' || typeof interpretation !== 'string' || typeof flagged !== 'boolean') return undefined
  return { overall_confidence: value, interpretation, should_flag_for_review: flagged }
}

/** The confidence line of the specification: a green tick if strong, else a yellow warning. */
function confidenceLine(confidence: ConfidenceGlance): Piece[] {
  const { overall_confidence: value, interpretation, should_flag_for_review: flagged } = confidence
  return [
    '📊 RAG Confidence: ',
    flagged ? { text: '⚠️', colour: 'yellow' } : { text: '✓', colour: 'green' },
    ` ${interpretation} (${floored(value)})`,
  ]
}

/** Rounds down to two decimals, so that a confidence below a threshold is never displayed as equal to it. */
function floored(value: number): string {
  // The tolerance is for decimals that are slightly too low in binary, such as .58.
  return (Math.floor(value * 100 + 1e-7) / 100).toFixed(2)
}

const DECISION_COLOURS: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  PASS: 'green',
  ADVISE: 'yellow',
  REFUSE: 'red',
}

function blockOf({ facts, decision, reason, checks }: Omit<ExplanationReply, 'analysis'>): Piece[] {
  const colour = DECISION_COLOURS[decision]
  return [
    'Confidence Gate:',
    ...facts.map(({ label, value }) => `\n  ${label}: ${value}`),
    '\n  Decision: ',
    colour === undefined ? decision : { text: decision, colour },
    ...(reason === undefined ? [] : [`\n  Reason: ${reason}`]),
    ...(checks.length === 0 ? [] : ['\n\nChecks:', ...checks.map(({ text }) => `\n  ${text}`)]),
  ]
}

/** For an older gate, which only returns findings. */
function withoutExplanation({
  verdict,
  refusal_reason: reason,
  detail,
}: AskReply['body']): Omit<ExplanationReply, 'analysis'> {
  const found = (detail?.findings ?? []).filter(({ outcome }) => outcome !== 'skip')
  return {
    facts: found.map(({ gate, message }) => ({ label: gate, value: message })),
    decision: verdict.toUpperCase(),
    checks: [],
    ...(reason === undefined ? {} : { reason }),
  }
}
