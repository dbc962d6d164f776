/** An OpenAI-compatible endpoint on loopback that counts its calls and records requests. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One received request. */
export interface ModelCall {
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
}

/** Sets the next answer. */
export type ModelBehaviour = 'answer' | 'cut' | 'overloaded' | 'nonsense' | 'rejected' | 'unauthorized'

export interface CountingModel {
  readonly baseUrl: string
  readonly calls: ModelCall[]
  /** @param afterMs delay of the answer, milliseconds. @default 0 */
  behave(behaviour: ModelBehaviour, afterMs?: number): void
  stop(): Promise<void>
}

const completion = (finishReason: string, content = 'Thirty-five days [1].') => ({
  id: 'completion-1',
  object: 'chat.completion',
  created: 0,
  model: 'counting-1',
  choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 },
})

const REPLIES: Readonly<Record<ModelBehaviour, readonly [status: number, body: string]>> = {
  answer: [200, JSON.stringify(completion('stop'))],
  cut: [200, JSON.stringify(completion('length'))],
  overloaded: [429, JSON.stringify({ error: { message: 'secret upstream text', type: 'rate_limit' } })],
  rejected: [400, JSON.stringify({ error: { message: 'secret upstream text', code: 'context_length_exceeded' } })],
  unauthorized: [401, JSON.stringify({ error: { message: 'secret upstream text' } })],
  nonsense: [200, '<html>secret upstream text</html>'],
}

/** Beginning of a request to grade passages, and a passage in it. */
const GRADING = /^Grade /
const PASSAGE = /<passage number="(\d+)"[^>]*>\n([^<]*)/g

/** @param gradeOf grade of a passage, 0 to 3, for grading requests; without it those get the ordinary answer */
export async function startCountingModel(
  gradeOf?: (passage: string, question: string) => number,
): Promise<CountingModel> {
  const calls: ModelCall[] = []
  let next: ModelBehaviour = 'answer'
  let thinksMs = 0
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      const call = { authorization: request.headers.authorization, body: JSON.parse(text) as ModelCall['body'] }
      calls.push(call)
      const grades = gradeOf !== undefined && next === 'answer' ? gradesOf(call, gradeOf) : undefined
      const [status, body] = grades === undefined ? REPLIES[next] : [200, JSON.stringify(completion('stop', grades))]
      setTimeout(() => {
        response.writeHead(status, {
          'content-type': body.startsWith('<') ? 'text/html' : 'application/json',
          'retry-after': '7',
        })
        response.end(body)
      }, thinksMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on an address and port has both.
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    behave: (behaviour, afterMs = 0) => {
      next = behaviour
      thinksMs = afterMs
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Whether a call asks for grades. */
export function asksForGrades({ body }: ModelCall): boolean {
  return GRADING.test(body.messages[0]?.content ?? '')
}

function gradesOf(call: ModelCall, gradeOf: (passage: string, question: string) => number): string | undefined {
  if (!asksForGrades(call)) return undefined
  const asked = call.body.messages[1]?.content ?? ''
  const [, question = ''] = /<question>(.*)<\/question>/s.exec(asked) ?? []
  return [...asked.matchAll(PASSAGE)]
    .map(([, number, passage = '']) => `${number}: ${gradeOf(passage, question)}`)
    .join('\n')
}
