/**
 * Lets the Workers AI binding take the place of an OpenAI-compatible endpoint.
 *
 * @see https://developers.cloudflare.com/workers-ai/features/streaming/
 */
import { isRecord, memberAt } from 'hono-rag-gate/core/lib'
import { createEventSplitter, mediaTypeOf, readEvent } from 'hono-rag-gate/http'
import type { OpenAiGeneratorOptions } from './openai-compatible.ts'

/** The part of the Workers AI binding that is used. */
export interface AiTextBinding {
  run(model: string, input: Record<string, unknown>, options: object): Promise<unknown>
}

/**
 * Adapts the binding for `createOpenAiGenerator` and `createLlmGrader`: whole answers and streams become chat
 * completions, and failures keep the status from Workers AI. Without token counts it is unknown whether an answer is
 * complete, so it counts as truncated and is not cached.
 *
 * @example createOpenAiGenerator({ ...workersAiEndpoint(env.AI), model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast' })
 */
export function workersAiEndpoint(
  ai: AiTextBinding,
): Required<Pick<OpenAiGeneratorOptions, 'baseUrl' | 'apiKey' | 'fetch'>> {
  return {
    baseUrl: 'https://workers-ai.invalid',
    apiKey: 'binding',
    async fetch(_address, { body, signal }) {
      // The body comes from the generator or grader. Workers AI counts tokens without `stream_options`.
      const { model, stream_options: _, ...input } = JSON.parse(body as string) as Record<string, unknown>
      // With this option the binding returns the `Response` itself.
      const response = (await ai.run(model as string, input, { returnRawResponse: true, signal })) as Response
      if (!response.ok || response.body === null) return response
      const read = createReader(model as string, input['max_tokens'])
      if (mediaTypeOf(response.headers.get('content-type')) !== 'events') {
        return Response.json(read.completion(await response.json()))
      }
      const eventsIn = createEventSplitter()
      const utf8 = new TextEncoder()
      const events = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(piece, controller) {
            for (const event of eventsIn(piece)) controller.enqueue(utf8.encode(read.event(event)))
          },
        }),
      )
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } })
    },
  }
}

/** Converts the response format of older models (`response` and `usage`); OpenAI-style responses are passed through. */
function createReader(
  model: string,
  most: unknown,
): { readonly completion: (answer: unknown) => unknown; readonly event: (event: string) => string } {
  let usage: unknown
  let isOwnShape = false
  const choiceIn = (answer: unknown, part: 'message' | 'delta'): unknown => {
    if (!isRecord(answer) || !('response' in answer)) return undefined
    isOwnShape = true
    usage = answer['usage'] ?? usage
    const { response } = answer
    // A piece that consists of digits arrives as a number.
    const content = typeof response === 'number' ? String(response) : response
    return { index: 0, [part]: { content }, finish_reason: null }
  }
  const finishReason = (): string => {
    const written = memberAt(usage, 'completion_tokens')
    return typeof written === 'number' && written < Number(most) ? 'stop' : 'length'
  }
  return {
    completion(answer) {
      const choice = choiceIn(answer, 'message')
      if (choice === undefined) return answer
      return { model, choices: [{ ...choice, finish_reason: finishReason() }], usage }
    },
    event(event) {
      const { data } = readEvent(event)
      if (data === '[DONE]' && isOwnShape) {
        const choices = [{ index: 0, delta: {}, finish_reason: finishReason() }]
        return `data: ${JSON.stringify({ model, choices, usage })}\n\n${event}`
      }
      const choice = data.startsWith('{') ? choiceIn(JSON.parse(data), 'delta') : undefined
      return choice === undefined ? event : `data: ${JSON.stringify({ model, choices: [choice] })}\n\n`
    },
  }
}
