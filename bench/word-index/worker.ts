/**
 * The word index in D1 and in a Durable Object's own storage, and the vector index, for `bench/word-index.ts`. `POST
 * /<engine>/upsert|delete|ask`, `GET /<engine>/open|size`; all but `ask` respond with what was read and written.
 */
import { DurableObject } from 'cloudflare:workers'
import type { D1Database, DurableObjectNamespace } from '@cloudflare/workers-types'
import { createUpstashChunkIndex, createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { createWordIndex, createWordRetriever } from '../../packages/word-index/src/index.ts'
import { objectFor } from '../../packages/vector-index/src/index.ts'
import { VectorIndex } from '../../packages/vector-index/src/worker/door.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { ChunkIndex } from '../../src/ports/chunk-index.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { english } from '../../src/language/english/english.ts'

// Bound by the project's settings.
export { AnswerFlight } from '../../packages/cloudflare/src/durable-object-coalescer.ts'
export { VectorIndex }

const NAMESPACE = 'bench'

interface Env {
  readonly DB: D1Database
  readonly WORDS: DurableObjectNamespace<Words>
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
}

interface Engine {
  readonly index: ChunkIndex
  readonly retriever: Retriever
}

interface Counted {
  rowsRead: number
  rowsWritten: number
}

async function serve(request: Request, { index, retriever }: Engine, counted: Counted): Promise<Response> {
  const body = request.method === 'POST' ? ((await request.json()) as unknown) : undefined
  const [, , command] = new URL(request.url).pathname.split('/')
  if (command === 'upsert') await index.upsert(NAMESPACE, body as Passage[])
  if (command === 'delete') await index.delete(NAMESPACE, body as string[])
  if (command === 'ask') {
    const asked = body as { question: string; filter?: Record<string, string> }
    const common = { tenant: 't', collection: 'c', namespace: NAMESPACE, topK: 10 }
    const [ranking] = await retriever.retrieve({ ...common, ...asked, signal: new AbortController().signal })
    return Response.json({ ...counted, ids: ranking!.entries.map(({ passage }) => passage.id) })
  }
  return Response.json(counted)
}

/** A D1 that counts its rows. */
function counting(db: D1Database, counted: Counted): D1Database {
  const count = <Result extends { meta: { rows_read: number; rows_written: number } }>(result: Result): Result => {
    counted.rowsRead += result.meta.rows_read
    counted.rowsWritten += result.meta.rows_written
    return result
  }
  // The only methods that the word index uses.
  return {
    prepare: (sql: string) => {
      const prepared = db.prepare(sql)
      return {
        bind: (...values: unknown[]) => {
          const bound = prepared.bind(...values)
          return Object.assign(bound, { all: async () => count(await db.batch([bound]).then(([only]) => only!)) })
        },
      }
    },
    batch: async (statements: D1PreparedStatement[]) => (await db.batch(statements)).map(count),
  } as unknown as D1Database
}

/** The same statements over an object's own storage, which is synchronous. */
function inStorage(storage: DurableObjectStorage, counted: Counted): D1Database {
  const run = (sql: string, values: readonly unknown[]) => {
    const cursor = storage.sql.exec(sql, ...values)
    const results = cursor.toArray()
    counted.rowsRead += cursor.rowsRead
    counted.rowsWritten += cursor.rowsWritten
    return { results, meta: { size_after: storage.sql.databaseSize } }
  }
  return {
    prepare: (sql: string) => ({
      bind: (...values: unknown[]) => ({ run: () => run(sql, values), all: async () => run(sql, values) }),
    }),
    batch: async (statements: { run: () => unknown }[]) =>
      storage.transactionSync(() => statements.map((statement) => statement.run())),
  } as unknown as D1Database
}

/** The word index in a Durable Object. */
export class Words extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const [, , command] = new URL(request.url).pathname.split('/')
    const { storage } = this.ctx
    if (command === 'migrate') {
      for (const statement of (await request.json()) as string[]) storage.sql.exec(statement)
      return new Response()
    }
    if (command === 'size') return Response.json(storage.sql.databaseSize)
    if (command === 'open') return Response.json(storage.sql.exec('SELECT 1').toArray())
    const counted = { rowsRead: 0, rowsWritten: 0 }
    const options = { db: inStorage(storage, counted), language: english, timeoutMs: 60_000 }
    return serve(request, { index: createWordIndex(options), retriever: createWordRetriever(options) }, counted)
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const [, engine, command] = new URL(request.url).pathname.split('/')
    const counted = { rowsRead: 0, rowsWritten: 0 }
    if (engine === 'object') return env.WORDS.getByName('words').fetch(request)
    if (engine === 'vectors') {
      const options = {
        url: 'https://vector-index.invalid',
        timeoutMs: 60_000,
        fetch: (url: string, init?: RequestInit) =>
          env.VECTOR_INDEX.getByName(objectFor('default', new URL(url))).fetch(url, init),
      }
      const retriever = createUpstashRetriever({ ...options, filledBy: 'gate', namespace: () => NAMESPACE })
      return serve(request, { index: createUpstashChunkIndex(options), retriever }, counted)
    }
    if (command === 'migrate') {
      await env.DB.batch(((await request.json()) as string[]).map((statement) => env.DB.prepare(statement)))
      return new Response()
    }
    if (command === 'size') return Response.json((await env.DB.prepare('SELECT 1').run()).meta.size_after)
    if (command === 'open') return Response.json((await env.DB.prepare('SELECT 1').all()).results)
    const options = { db: counting(env.DB, counted), language: english, timeoutMs: 60_000 }
    return serve(request, { index: createWordIndex(options), retriever: createWordRetriever(options) }, counted)
  },
}
