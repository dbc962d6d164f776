/** The computing of a decision, done once before it is needed. */
import { buildContext } from '../core/evidence/context.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { judge } from '../core/policy/judge.ts'
import type { Policy } from '../core/policy/policy.ts'
import { questionFindings } from '../core/policy/question-findings.ts'
import { measureQuestion } from '../core/signals/measure-question.ts'
import type { Lexicon } from '../core/text/lexicon.ts'

/** By what a decision is rehearsed. */
export interface Rehearsed {
  /** Normalised. */
  readonly question: string
  readonly policy: Policy
  readonly lexicon: Lexicon
}

/** Rehearses, once something is waited for. @returns ends the chance for it */
export type Rehearsal = (rehearsed: Rehearsed) => () => void

/**
 * A rehearsal for the first question of an isolate: its decision takes many times as long as later ones, since no
 * function is compiled yet. While the first retrieval is waited for, that costs nobody any time. Where nothing is waited
 * for, and after the first question, nothing is done.
 */
export function createRehearsal(): Rehearsal {
  let due = true
  return (rehearsed) => {
    if (!due) return () => undefined
    due = false
    const timer = setTimeout(() => rehearse(rehearsed), 0)
    return () => clearTimeout(timer)
  }
}

/** Decides over passages that say what the question says. Nothing comes of it, not even an error: a decision would meet it too. */
function rehearse({ question, policy, lexicon }: Rehearsed): void {
  const evidence: Evidence = {
    rankedBy: 'convex',
    kinds: ['cosine', 'bm25'],
    dropped: 0,
    chunks: [0.6, 0.5, 0.4].map((score, at) => ({
      id: String(at),
      documentId: String(at),
      title: question,
      text: `${question}\n\n- ${question} ${at}.`,
      scores: { cosine: score, bm25: score, convex: score },
    })),
  }
  try {
    buildContext(evidence.chunks, { maxCharacters: Infinity })
    judge(policy, measureQuestion(question, evidence, lexicon), questionFindings(question))
  } catch {
    // What is wrong with a policy or a question is said where it is needed.
  }
}
