/** The part of the Vectorize binding that is used. Results are `unknown`, because they are validated here. */
import type { VectorizeFilter } from './filter.ts'

/** A vector to write. */
export interface VectorizeItem {
  readonly id: string
  readonly values: number[]
  readonly namespace: string
  readonly metadata: Record<string, string>
}

/** The methods of a Vectorize binding that are used. */
export interface VectorizeBinding {
  describe(): Promise<unknown>
  query(
    vector: number[],
    options: {
      readonly topK: number
      readonly namespace?: string
      readonly returnValues: boolean
      readonly returnMetadata: 'all'
      readonly filter?: VectorizeFilter
    },
  ): Promise<unknown>
  upsert(vectors: VectorizeItem[]): Promise<unknown>
  deleteByIds(ids: string[]): Promise<unknown>
  getByIds(ids: string[]): Promise<unknown>
}
