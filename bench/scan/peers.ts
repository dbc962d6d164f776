/** Two well-known vector libraries from npm, searched as their documentation says. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, insertMultiple, searchVector } from '@orama/orama'

/** An index whose rows are named by their place. */
export interface Peer {
  readonly name: string
  readonly build: (vectors: readonly Float32Array[]) => Promise<(question: Float32Array, topK: number) => Found>
}

/** Places of the rows found, best first. */
export type Found = readonly number[] | Promise<readonly number[]>

const orama: Peer = {
  name: '@orama/orama',
  async build(vectors) {
    const index = create({ schema: { vector: `vector[${vectors[0]!.length}]` } as const })
    const rows = vectors.map((vector, at) => ({ id: String(at), vector: Array.from(vector) }))
    await insertMultiple(index, rows)
    return async (question, topK) => {
      // Its threshold leaves out what is less alike; −1 leaves out nothing.
      const search = {
        mode: 'vector' as const,
        vector: { value: Array.from(question), property: 'vector' },
        similarity: -1,
        limit: topK,
      }
      const { hits } = await searchVector(index, search)
      return hits.map(({ id }) => Number(id))
    }
  },
}

/** What `voy-search` exports once it has its WebAssembly. */
interface VoyModule {
  __wbg_set_wasm(exports: WebAssembly.Exports): void
  readonly Voy: new () => {
    add(resource: { embeddings: { id: string; title: string; url: string; embeddings: number[] }[] }): void
    search(question: Float32Array, topK: number): { neighbors: { id: string }[] }
  }
}

/** The package is made for bundlers, so its parts are put together here; once, as its glue keeps views of one memory. */
async function loadVoy(): Promise<VoyModule> {
  const { resolve } = createRequire(import.meta.url)
  const glue = (await import(resolve('voy-search/voy_search_bg.js'))) as VoyModule
  const module = new WebAssembly.Module(readFileSync(resolve('voy-search/voy_search_bg.wasm')))
  // Its glue is all that it imports.
  const imports = { './voy_search_bg.js': glue } as unknown as WebAssembly.Imports
  glue.__wbg_set_wasm(new WebAssembly.Instance(module, imports).exports)
  return glue
}

const VOY = await loadVoy()

const voy: Peer = {
  name: 'voy-search',
  build(vectors) {
    const index = new VOY.Voy()
    // It does not take ten thousand at once.
    for (let first = 0; first < vectors.length; first += 1000) {
      index.add({
        embeddings: vectors.slice(first, first + 1000).map((vector, at) => ({
          id: String(first + at),
          title: '',
          url: '',
          embeddings: Array.from(vector),
        })),
      })
    }
    const search = (question: Float32Array, topK: number) =>
      index.search(question, topK).neighbors.map(({ id }) => Number(id))
    return Promise.resolve(search)
  },
}

export const PEERS: readonly Peer[] = [orama, voy]
