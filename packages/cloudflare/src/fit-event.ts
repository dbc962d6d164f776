/** An event that fits into one message of a queue. */
import type { Decision } from 'hono-rag-gate/core/policy'
import type { DecisionEvent } from 'hono-rag-gate/ports'

/**
 * Most bytes of a message, less what the queue and the envelope add: a queue takes 128,000.
 *
 * @see https://developers.cloudflare.com/queues/platform/limits/
 */
export const MAX_MESSAGE_BYTES = 127_900
const ENVELOPE_BYTES = 200
/** What is kept of a list or a text that is cut. */
const KEPT_IDS = 20
const KEPT_CHARACTERS = 500
const KEPT_FINDINGS = 20

/** What can be left out, the least missed first. Each gives the event without it, or `undefined` where there is none. */
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
    // What was measured is gone; that it was measured, and over how many chunks, stays.
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
 * The event, or as much of it as fits into a message: fields are left out one after the other, the least missed first,
 * and named in `cut`.
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
