import { isRecord, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import { type Passage, readPassage } from 'hono-rag-gate/core/evidence'
import { RagGateError } from 'hono-rag-gate/errors'
import type { ChunkTexts } from 'hono-rag-gate/ports'
import { jsonBatches, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { DELETE, GET, PUT } from './raw/chunk-texts.ts'

export interface D1ChunkTextsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
}

/**
 * Stores passages in D1, for an index without room for their texts, with a constant number of statements.
 *
 * @returns texts whose methods throw `schema_outdated` if migrations are missing, `store_unavailable` if the database
 *   fails otherwise, and `retriever_bad_response` for a row that is not a passage
 */
export function createD1ChunkTexts(options: D1ChunkTextsOptions): ChunkTexts {
  requireOptions(options, { db: required(methods('prepare')) })
  const { db } = options
  async function run<Row>(statement: string, namespace: string, values: readonly unknown[]): Promise<Row[]> {
    const batches = jsonBatches(values)
    if (batches.length === 0) return []
    const prepared = db.prepare(statement)
    const bound = batches.map((batch) => prepared.bind(namespace, batch))
    const results = await db.batch<Row>(bound).catch(rethrowStoreFault)
    return results.flatMap((result) => result.results)
  }

  return {
    async put(namespace, passages) {
      // If a statement has an id twice, the last one wins, as in an index.
      await run(PUT, namespace, passages)
    },

    async get(namespace, ids) {
      const rows = await run<{ id: string; passage: string }>(GET, namespace, [...new Set(ids)])
      const found = new Map(rows.map(({ id, passage }) => [id, read(id, passage)]))
      return ids.map((id) => found.get(id) ?? null)
    },

    async delete(namespace, ids) {
      await run(DELETE, namespace, ids)
    },
  }
}

function read(id: string, stored: string): Passage {
  const passage = parse(stored)
  if (!isRecord(passage)) throw new RagGateError('retriever_bad_response', 'A stored text is not a passage')
  return readPassage(id, passage['text'], passage)
}

/** @returns `undefined` if it is not JSON */
function parse(stored: string): unknown {
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}
