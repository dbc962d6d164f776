/** Rephrases and retries refused questions, under unchanged gate settings. */
import { callable, type OptionKinds, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { textFor } from 'hono-rag-gate/core/reports'
import type { AskedWithoutHttp } from 'hono-rag-gate/middleware'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { type AnsweredQuestion, type AnswerPorts, type AnswerSettings, createAnswerer } from './answer-question.ts'

/** Input of a rewriter. */
export interface RewriteRequest {
  /** The original question. */
  readonly question: string
  /** The suggestion to follow: a fixed sentence that reveals nothing about the corpus. */
  readonly suggestion: string
  /** 1 for the first retry. */
  readonly attempt: number
}

/** Rephrases a question; `null` if it cannot. */
export type Rewrite = (request: RewriteRequest) => Promise<string | null> | string | null

/** Settings of `answerWithRetries`. */
export interface RetryOptions {
  readonly rewrite: Rewrite
  /** Maximum number of retries, 0..3. @default 1 */
  readonly maxRetries?: number
}

/** The last answer, and all attempts. */
export interface RetriedAnswer extends AnsweredQuestion {
  /** In order, including the first question; each has its own decision to record. */
  readonly attempts: readonly AnsweredQuestion[]
}

const OPTIONS: OptionKinds<RetryOptions> = { rewrite: required(callable), maxRetries: whole(0, 3) }

/**
 * Answers a question. If it is refused for its evidence, follows the refusal's suggestions one by one: the rewriter
 * rephrases the question, which is asked again with the same settings. If the rewriter fails or repeats a question, the
 * refusal stands.
 *
 * @throws `config_invalid` without `rewrite`, or if `maxRetries` is out of range; otherwise what `answerQuestion`
 *   throws
 */
export async function answerWithRetries(
  ports: AnswerPorts,
  asked: string | AskedWithoutHttp,
  options: RetryOptions & AnswerSettings,
): Promise<RetriedAnswer> {
  // Untyped callers may pass nothing.
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

/** The next suggestion; `undefined` for an answer, and if the model failed, which rephrasing does not help. */
function suggestionOf({ decision, policy }: AnsweredQuestion, attempt: number): string | undefined {
  if (decision.verdict !== 'refuse') return undefined
  return textFor(decision.reason, policy).suggestions[attempt - 1]
}

async function rewritten(rewrite: Rewrite, request: RewriteRequest): Promise<string> {
  try {
    return normaliseQuestion((await rewrite(request)) ?? '')
  } catch {
    // A failed rewriter is not an error of the question: the refusal stands.
    return ''
  }
}
