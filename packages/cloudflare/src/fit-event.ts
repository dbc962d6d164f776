/** Truncates an event to fit into one queue message. */
import type { Decision } from 'hono-rag-gate/core/policy'
import type { DecisionEvent } from 'hono-rag-gate/ports'

/**
 * Maximum size of a message body, less the queue's and the envelope's overhead: a queue accepts 128,000 bytes.
 *
 * @see https://developers.cloudflare.com/queues/platform/limits/
 */
export const MAX_MESSAGE_BYTES = 127_900
const ENVELOPE_BYTES = 200
/** What remains of a truncated list or text. */
const KEPT_IDS = 20
const KEPT_CHARACTERS = 500
const KEPT_FINDINGS = 20

/** Fields that can be cut, the least important first. Each gives the event without it, or `undefined` if absent. */
const CUTS: readonly (readonly [name: string, cut: (event: DecisionEvent) => DecisionEvent | undefined])[] = [
  [
    'question_text',
    ({ question, ...event }) =>
      question?.text === undefined ? undefined : { ...event, question: { hmac: question.hmac, keyId: question.keyId } },
  ],
  ['audit', ({ audit, ...event }) => (audit === undefined ? undefined : event)],
  [
    'answer_signals',
    (event) =>
      event.decision.answerSignals === undefined
        ? undefined
        : withDecision(event, ({ answerSignals: _answer, ...decision }) => decision),
  ],
  [
    'signals',
    // The signals are removed, except the number of chunks.
    (event) =>
      withDecision(event, (decision) => ({
        ...decision,
        signals: { chunkCount: decision.signals.chunkCount } as Decision['signals'],
      })),
  ],
  [
    'findings',
    (event) =>
      withDecision(event, (decision) => ({
        ...decision,
        findings: decision.findings
          .slice(0, KEPT_FINDINGS)
          .map((finding) => ({ ...finding, message: finding.message.slice(0, KEPT_CHARACTERS) })),
      })),
  ],
  [
    'evidence_ids',
    (event) =>
      withDecision(event, (decision) => ({
        ...decision,
        evidenceIds: cutIds(decision.evidenceIds),
        documentIds: cutIds(decision.documentIds),
      })),
  ],
  [
    'names',
    (event) => ({
      ...event,
      route: event.route.slice(0, KEPT_CHARACTERS),
      principalId: event.principalId.slice(0, KEPT_CHARACTERS),
      ...(event.model === undefined ? {} : { model: event.model.slice(0, KEPT_CHARACTERS) }),
    }),
  ],
]

/**
 * Returns the event, truncated to fit into a message: fields are cut one by one, the least important first, and named
 * in `cut`.
 */
export function fitEvent(event: DecisionEvent): DecisionEvent {
  let fitted = event
  const cut: string[] = []
  for (const [name, without] of CUTS) {
    if (bytesOf(fitted) <= MAX_MESSAGE_BYTES - ENVELOPE_BYTES) break
    const shorter = without(fitted)
    if (shorter === undefined) continue
    cut.push(name)
    fitted = { ...shorter, cut }
  }
  return fitted
}

function withDecision(event: DecisionEvent, change: (decision: Decision) => Decision): DecisionEvent {
  return { ...event, decision: change(event.decision) }
}

function cutIds(ids: readonly string[]): readonly string[] {
  return ids.slice(0, KEPT_IDS).map((id) => id.slice(0, KEPT_CHARACTERS))
}

const UTF8 = new TextEncoder()

function bytesOf(event: DecisionEvent): number {
  return UTF8.encode(JSON.stringify(event)).byteLength
}
