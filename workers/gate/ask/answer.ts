/** `POST /ask`: the handler behind the gate, which only runs for questions that may be answered. */
import type { Context } from 'hono'
import type { RagGateContext, RagGateEnv } from 'hono-rag-gate'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { statusOf } from 'hono-rag-gate/middleware'
import { type AboutAnswer, aboutAnswer, chunksOf, completionUsage, eventStream } from '@hono-rag-gate/chat/completions'
import type { Generation, GenerationRequest } from '@hono-rag-gate/models'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { noteUsage } from './cost-line.ts'
import { routeOf } from '../statistics/count-faults.ts'
import { wantsStream } from './form.ts'
import { searchAnswer } from './search-answer.ts'

type AskContext = Context<RagGateEnv<GateBindings>>

/**
 * Answers from the evidence: with the configured model, or with search results. It streams if the caller asks for it,
 * the generator supports it, and the policy does not judge answers; otherwise `form.ts` converts the answer to the
 * requested form.
 *
 * @throws `config_invalid` if the policy judges generated answers but no model is configured
 */
export function answer(c: AskContext): Promise<Response> {
  return answerAs(c, {})
}

/** Differences of another route from `/ask` in the model request and the answer. */
export interface AnswerForm {
  readonly asked?: Pick<GenerationRequest, 'history' | 'instructions' | 'sampling'>
  /** Makes the answer of a deployment without a model. @default a sentence with the number of passages */
  readonly searchText?: (passages: RagGateContext['context']['chunks']) => string
}

/** The same for another route. @throws as `answer` */
export async function answerAs(c: AskContext, form: AnswerForm): Promise<Response> {
  const { generator, budget } = compositionFor(c.env)
  if (generator === undefined) {
    if (c.var.ragGate.answerIsJudged) {
      throw new RagGateError('config_invalid', 'The policy judges answers, but no model is configured')
    }
    const { context } = c.var.ragGate
    const text = form.searchText && { answer: form.searchText(context.chunks) }
    return c.json({ ...searchAnswer(context), ...text, ...about(c, 'search') })
  }
  await budget?.require(c.var.ragGate.principal.tenant)
  if (!c.var.ragGate.answerIsJudged && (await wantsStream(c))) {
    const left = new AbortController()
    const pieces = generator.stream?.({ ...task(c), ...form.asked, signal: left.signal })
    if (pieces !== undefined) return streamAnswer(c, generator.model, pieces, left)
  }
  const generation = await generator.generate({ ...task(c), ...form.asked, signal: c.req.raw.signal })
  report(c, generation)
  const { text, complete } = generation
  const usage = generation.usage && completionUsage(generation.usage)
  return c.json({ answer: text, ...about(c, 'model'), ...(complete ? {} : { complete }), ...(usage && { usage }) })
}

/** The request to the generator. */
function task(c: AskContext): Omit<GenerationRequest, 'signal'> {
  const { question, context, caution } = c.var.ragGate
  return { question, chunks: context.chunks, context: context.text, ...(caution === undefined ? {} : { caution }) }
}

function report(c: AskContext, { report: reported, complete, model, usage }: Generation): void {
  if (usage !== undefined) noteUsage(c, usage)
  c.var.ragGate.report({
    ...reported,
    complete,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  })
}

/** Members of an answer besides its text. */
function about(c: AskContext, answeredBy: 'model' | 'search'): AboutAnswer {
  return { answered_by: answeredBy, ...aboutAnswer(c.var.ragGate) }
}

/**
 * Streams the model's output. It waits for the first piece, so that an earlier failure becomes an error with its own
 * status. The stream is read to its end while there is a consumer, which may be the answer cache.
 */
async function streamAnswer(
  c: AskContext,
  model: string,
  pieces: AsyncGenerator<string, Generation, void>,
  left: AbortController,
): Promise<Response> {
  const onLeave = (): void => left.abort()
  let isBegun = false
  // After the first piece, cancellation of the response body shows that the reader has left.
  c.req.raw.signal.addEventListener('abort', () => isBegun || onLeave())
  let piece = await pieces.next()
  isBegun = true
  const chunks = chunksOf(about(c, 'model'), model)
  async function* events(): AsyncGenerator<string, void, void> {
    yield chunks.first
    try {
      for (; piece.done !== true; piece = await pieces.next()) yield chunks.text(piece.value)
    } catch (thrown) {
      // The status was already sent. A model that was stopped for a reader who left did not fail.
      if (isRagGateError(thrown) && !left.signal.aborted) {
        const { faults } = compositionFor(c.env)
        c.executionCtx.waitUntil(faults.count(routeOf(c.req.path, 200), statusOf(thrown.code), thrown.code))
      }
      throw thrown
    }
    report(c, piece.value)
    yield chunks.last(piece.value.complete ? 'stop' : 'length', piece.value.usage)
  }
  return eventStream(events(), onLeave)
}
