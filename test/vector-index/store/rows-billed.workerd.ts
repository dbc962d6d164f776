/** What Cloudflare bills of an index's object: rows that its statements read and write. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { IndexStorage, SqlRow, SqlValue } from '../../../packages/vector-index/src/store/schema.ts'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'

const ROWS = 4_000
const DIMENSION = 384
const PER_COMMAND = 500

test('a vector costs two rows written, and a start reads a row for each block, deleting by prefix what it deletes', async () => {
  await runInDurableObject(env.VECTOR_INDEX.getByName('billed'), (_index, state) => {
    const cursors: SqlStorageCursor<never>[] = []
    const counted: IndexStorage = {
      sql: {
        get databaseSize() {
          return state.storage.sql.databaseSize
        },
        exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]) {
          const cursor = state.storage.sql.exec<Row>(query, ...bindings)
          cursors.push(cursor as unknown as SqlStorageCursor<never>)
          return cursor
        },
      },
      transactionSync: (work) => state.storage.transactionSync(work),
    }
    const billed = (work: () => unknown) => {
      cursors.length = 0
      work()
      const sum = (of: 'rowsRead' | 'rowsWritten') => cursors.reduce((rows, cursor) => rows + cursor[of], 0)
      return { read: sum('rowsRead'), written: sum('rowsWritten') }
    }
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      id: `r${at}`,
      dense: Float32Array.from({ length: DIMENSION }, (_value, place) => Math.sin(at * 7 + place)),
      sparse: { indices: new Int32Array(0), values: new Float32Array(0) },
    }))
    const store = new VectorStore(counted)
    const writing = billed(() => {
      for (let at = 0; at < ROWS; at += PER_COMMAND) store.upsert('n', rows.slice(at, at + PER_COMMAND))
    })
    const waking = billed(() => new VectorStore(counted).searchable())
    console.log(
      `a vector: ${(writing.written / ROWS).toFixed(2)} rows written, ${(writing.read / ROWS).toFixed(2)} read, ` +
        `${Math.round(state.storage.sql.databaseSize / ROWS)} bytes; waking ${ROWS} reads ${waking.read} rows`,
    )
    expect(writing.written / ROWS).toBeLessThan(2.1)
    expect(writing.written / ROWS).toBeGreaterThanOrEqual(2)
    expect(waking.read).toBeLessThan(20)
    const deleting = billed(() => expect(store.deletePrefix('r12')).toBe(111))
    expect(deleting.read).toBeLessThan(ROWS / 4)
  })
})
