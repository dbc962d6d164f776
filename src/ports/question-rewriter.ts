import type { Evidence } from '../core/evidence/evidence.ts'

/** Puts a question for which the evidence is weak in other words. */
export interface QuestionRewriter {
  /** Names the model and the prompt: another one finds other evidence, so it is part of the answer key. */
  readonly model: string
  /**
   * @param question normalised, as it was asked
   * @param evidence what was found for it
   * @param signal aborts the call at its time limit
   * @returns the question in other words; the first three that differ are searched, none searches nothing
   */
  rewrite(question: string, evidence: Evidence, signal: AbortSignal): Promise<readonly string[]>
}
