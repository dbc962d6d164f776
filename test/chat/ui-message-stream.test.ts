import { expect, test, vi } from 'vitest'
import { uiMessageStream, type AnswerPiece } from '../../packages/chat/src/index.ts'
import type { AnswerReport } from '../../src/middleware/gate-context.ts'

const summary = { decision_id: 'd1', verdict: 'pass', band: 'high', reason_code: 'confidence_high' } as const

/** What is sent for these pieces, part by part, and what is reported of it. */
async function sent(pieces: readonly AnswerPiece[]): Promise<{ parts: object[]; reports: AnswerReport[] }> {
  const reports: AnswerReport[] = []
  async function* stream(): AsyncGenerator<AnswerPiece> {
    yield* pieces
  }
  const gate = { summary, citations: [], report: (report: AnswerReport) => void reports.push(report) }
  const text = await uiMessageStream(gate, stream()).text()
  const parts = [...text.matchAll(/data: (\{.*\})/g)].map(([, json]) => JSON.parse(json!) as object)
  return { parts, reports }
}

const delta = (text: string): AnswerPiece & { text: string } => ({ type: 'text-delta', text })
const finish = (finishReason: string, totalUsage: object) => ({ type: 'finish', finishReason, totalUsage })

test('strings and parts of the AI SDK give the same message', async () => {
  const { parts } = await sent([delta('Two '), { type: 'source' }, delta('years.')])
  expect(parts).toEqual((await sent(['Two ', 'years.'])).parts)
  expect(parts.slice(-3)).toEqual([
    { type: 'text-end', id: 'answer' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ])
})

test.each([
  ['stop', { inputTokens: 120, outputTokens: 7 }, { complete: true, usage: { inputTokens: 120, outputTokens: 7 } }],
  ['length', { inputTokens: 120, outputTokens: undefined }, { complete: false }],
])(
  'the finish reason "%s" is sent to the client, and reported to the gate with the tokens',
  async (reason, usage, report) => {
    const { parts, reports } = await sent([delta('Two '), finish(reason, usage)])
    expect([parts.at(-1), reports]).toEqual([{ type: 'finish', finishReason: reason }, [report]])
  },
)

test.each([{ type: 'error', error: new Error('secret') }, { type: 'abort' }])(
  'a part that reports a failure of the model ends the stream with its error: %o',
  async (part) => {
    await expect(sent([delta('Two '), part])).rejects.toMatchObject({ code: 'llm_unavailable' })
  },
)

test.each([undefined, {}, 'Two years.'])(
  'anything but a stream of pieces is refused, with the member of the AI SDK to pass: %j',
  (pieces) => {
    const gate = { summary, citations: [], report: () => undefined }
    const message =
      'uiMessageStream needs streamText().stream, before AI SDK 7 its fullStream, or an async iterable of texts'
    // As JavaScript passes it.
    const given = pieces as unknown as AsyncIterable<AnswerPiece>
    expect(() => uiMessageStream(gate, given)).toThrow(expect.objectContaining({ code: 'config_invalid', message }))
  },
)

test('when the client disconnects, the pieces are ended, so that their model stops', async () => {
  let hasEnded = false
  async function* pieces(): AsyncGenerator<AnswerPiece> {
    try {
      for (;;) yield await new Promise<string>((resolve) => setTimeout(resolve, 1, 'Two '))
    } finally {
      hasEnded = true
    }
  }
  const { body } = uiMessageStream({ summary, citations: [], report: () => undefined }, pieces())
  const reader = body!.getReader()
  for (let read = 0; read < 2; read++) await reader.read()
  await reader.cancel()
  await vi.waitFor(() => expect(hasEnded).toBe(true))
})
