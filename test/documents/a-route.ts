/** Examples of the reference documents, asked of a route behind `ragGate`. */
import { reranking } from '../../src/pipeline/reranking.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import type { Policy } from '../../src/index.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, type AnswerBody, asOperator, bodyOf, type GateFixture, QUESTION, STRONG } from '../fixtures/gate.ts'

/** What is read of a body beside what every body has. */
export type Told = AnswerBody & Readonly<Record<string, unknown>>

/** A ranking of as many passages as there are scores, all of them on the question. */
export const ranked = (kind: Ranking['kind'], scores: readonly number[], documentId?: string): readonly Ranking[] => [
  {
    kind,
    entries: scores.map((score, at) => ({
      passage: aPassage(`chunk-${at}`, { text: STRONG, ...(documentId === undefined ? {} : { documentId }) }),
      score,
    })),
  },
]

/** What the route answers. */
export const asked = async (options: GateFixture, question = QUESTION): Promise<Told> =>
  (await bodyOf(await aGate(options).ask({ question }))) as Told

/** The same, told to an operator. */
export const toldOperator = (options: GateFixture, question?: string): Promise<Told> =>
  asked({ ...options, dependencies: { ...options.dependencies, authenticate: asOperator } }, question)

/** What a route with a reranker that gives these grades tells an operator, and how often its handler was asked. */
export async function graded(
  policy: Policy,
  grades: readonly number[],
): Promise<{ readonly body: Told; readonly handled: number }> {
  const route = aGate({
    policy,
    finds: () => ranked('bm25', grades.length === 0 ? [] : grades.map((_, at) => 9 - at)),
    dependencies: {
      authenticate: asOperator,
      reranker: reranking({ model: 'grader', kind: 'grade', rerank: async () => [...grades] }),
    },
  })
  const body = (await bodyOf(await route.ask())) as Told
  return { body, handled: route.journal.handled.length }
}
