/** Responses of a model on loopback: streamed for clients that request a stream, whole for others. */
import { type Answer, answering } from '../fixtures/scripted-upstream.ts'

/** An event with a piece of the answer, or with the error that ended it. */
export const delta = (content: string, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm-1', choices: [{ index: 0, delta: { content }, finish_reason: reason }] })}\n\n`
export const DONE = 'data: [DONE]\n\n'
const USAGE =
  'data: {"object":"chat.completion.chunk","model":"m-1","choices":[],"usage":{"prompt_tokens":120,"completion_tokens":7}}\n\n'

/** All events of an answer that ends normally. */
export const wholeStream = (pieces: readonly string[]): string[] => [
  ...pieces.map((piece) => delta(piece)),
  delta('', 'stop'),
  USAGE,
  DONE,
]

/**
 * Answers in events, or with a whole text.
 *
 * @param go awaited before each event
 * @param whole the text
 */
export const talking =
  (
    events: readonly string[],
    go: () => Promise<void> = async () => undefined,
    whole = 'Thirty-five days [1].',
  ): Answer =>
  (response, request, body) => {
    const { stream } = JSON.parse(body) as { readonly stream?: boolean }
    if (stream !== true) {
      const message = { role: 'assistant', content: whole }
      const choices = [{ index: 0, finish_reason: 'stop', message }]
      const usage = { prompt_tokens: 120, completion_tokens: 7 }
      return answering(JSON.stringify({ model: 'm-1', choices, usage }))(response, request, body)
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      for (const event of events) {
        await go()
        response.write(event)
      }
      response.end()
    })()
  }
