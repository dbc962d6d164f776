/** A refused question asked again in other words. The gate stays as it is. */
import { callable, type OptionKinds, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { textFor } from 'hono-rag-gate/core/reports'
import type { AskedWithoutHttp } from 'hono-rag-gate/middleware'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { type AnsweredQuestion, type AnswerPorts, type AnswerSettings, createAnswerer } from './answer-question.ts'

/** What a rewriter is given. */
export interface RewriteRequest {
  /** The question as it was asked first. */
  readonly question: string
  /** The suggestion to follow: a fixed sentence that tells nothing of the corpus. */
  readonly suggestion: string
  /** 1 for the first retry. */
  readonly attempt: number
}

/** Puts a question in other words. `null` when it sees no way. */
export type Rewrite = (request: RewriteRequest) => Promise<string | null> | string | null

/** Settings of `answerWithRetries`. */
export interface RetryOptions {
  readonly rewrite: Rewrite
  /** Questions asked after the first one, 0..3. @default 1 */
  readonly maxRetries?: number
}

/** The last answer, and every question on the way to it. */
export interface RetriedAnswer extends AnsweredQuestion {
  /** In order, the first question included; each with a decision of its own to record. */
  readonly attempts: readonly AnsweredQuestion[]
}

const OPTIONS: OptionKinds<RetryOptions> = { rewrite: required(callable), maxRetries: whole(0, 3) }

/**
 * Answers a question; where it is refused for its evidence, follows the refusal's suggestions one by one: a supplied
 * rewriter puts the question in other words, and it is asked again under the very same settings. A rewriter that fails,
 * or that comes back with a question asked already, ends it, and the refusal stands.
 *
 * @throws `config_invalid` without `rewrite`, or when `maxRetries` is out of range; else what `answerQuestion` throws
 */
export async function answerWithRetries(
  ports: AnswerPorts,
  asked: string | AskedWithoutHttp,
  options: RetryOptions & AnswerSettings,
): Promise<RetriedAnswer> {
  // A caller without types may give nothing.
  const { rewrite, maxRetries = 1, ...settings } = options ?? {}
  requireOptions({ rewrite, maxRetries }, OPTIONS)
  const answer = createAnswerer(ports, settings)
  const request = typeof asked === 'string' ? { question: asked } : asked
  let last = await answer(request)
  const attempts = [last]
  while (attempts.length <= maxRetries) {
    const suggestion = suggestionOf(last, attempts.length)
    if (suggestion === undefined) break
    const question = await rewritten(rewrite, { question: request.question, suggestion, attempt: attempts.length })
    if (question === '' || attempts.some((attempt) => attempt.question === question)) break
    last = await answer({ ...request, question })
    attempts.push(last)
  }
  return { ...last, attempts }
}

/** The next suggestion; none when there is an answer, or the model failed: other words repair neither. */
function suggestionOf({ decision, fault, policy }: AnsweredQuestion, attempt: number): string | undefined {
  if (fault !== undefined || decision.verdict !== 'refuse') return undefined
  return textFor(decision.reason, policy).suggestions[attempt - 1]
}

async function rewritten(rewrite: Rewrite, request: RewriteRequest): Promise<string> {
  try {
    return normaliseQuestion((await rewrite(request)) ?? '')
  } catch {
    // The refusal that stands is the better answer than an error about a nicer question.
    return ''
  }
}
