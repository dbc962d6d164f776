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
  const response = uiMessageStream(gate, stream())
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  const [end, done, ...events] = (await response.text()).split('\n\n').toReversed()
  expect([done, end]).toEqual(['data: [DONE]', ''])
  const parts = events.toReversed().map((event) => JSON.parse(event.replace(/^data: /, '')) as object)
  return { parts, reports }
}

const delta = (text: string): AnswerPiece & { text: string } => ({ type: 'text-delta', text })
const finish = (finishReason: string, totalUsage: object) => ({ type: 'finish', finishReason, totalUsage })

test('strings and parts of the AI SDK give the same message', async () => {
  const others: AnswerPiece[] = [
    { type: 'source' },
    { type: 'reasoning-delta', text: 'Hm.' } as AnswerPiece,
    { type: 'text-delta', text: 5 } as AnswerPiece,
  ]
  const { parts } = await sent([delta('Two '), ...others, delta('years.')])
  expect(parts).toEqual((await sent(['Two ', 'years.'])).parts)
  expect(parts).toEqual([
    { type: 'start' },
    { type: 'data-rag-gate', data: { refused: false, ...summary } },
    { type: 'start-step' },
    { type: 'text-start', id: 'answer' },
    { type: 'text-delta', id: 'answer', delta: 'Two ' },
    { type: 'text-delta', id: 'answer', delta: 'years.' },
    { type: 'text-end', id: 'answer' },
    { type: 'finish-step' },
    { type: 'finish', finishReason: 'stop' },
  ])
})

test.each([
  ['stop', { inputTokens: 120, outputTokens: 7 }, { complete: true, usage: { inputTokens: 120, outputTokens: 7 } }],
  ['length', { inputTokens: 120, outputTokens: undefined }, { complete: false }],
  ['length', { inputTokens: undefined, outputTokens: 7 }, { complete: false }],
])(
  'the finish reason "%s" is sent to the client, and reported to the gate with the tokens',
  async (reason, usage, report) => {
    const { parts, reports } = await sent([delta('Two '), finish(reason, usage)])
    expect([parts.at(-1), reports]).toEqual([{ type: 'finish', finishReason: reason }, [report]])
  },
)

const SECRET = new Error('secret')
test.each<{ readonly type: string; readonly error?: Error }>([{ type: 'error', error: SECRET }, { type: 'abort' }])(
  'a part that reports a failure of the model ends the stream with its error: %o',
  async (part) => {
    await expect(sent([delta('Two '), part])).rejects.toMatchObject({
      code: 'llm_unavailable',
      message: 'The answer broke off',
      cause: part.error,
    })
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
    expect(() => uiMessageStream(gate, given)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message, param: 'pieces' }),
    )
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
