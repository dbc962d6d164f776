/** The ready Worker with counted bindings: the usage of D1, index and cache by a request. Served by `../limits.ts`. */
import worker from '../../workers/gate/index.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import type { Used } from './used.ts'

export { AnswerFlight } from '../../packages/cloudflare/src/durable-object-coalescer.ts'

const NOTHING: Used = { d1Calls: 0, d1Statements: 0, rowsRead: 0, rowsWritten: 0, cacheCalls: 0 }
let used: Used = { ...NOTHING }

function countResult(result: D1Result): void {
  used.d1Statements++
  used.rowsRead += result.meta.rows_read
  used.rowsWritten += result.meta.rows_written
}

/** Original statements by their wrapper, because a batch needs the originals. */
const originals = new WeakMap<object, D1PreparedStatement>()

function countedStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const call = async (): Promise<D1Result<Record<string, unknown>>> => {
    used.d1Calls++
    const result = await statement.all()
    countResult(result)
    return result
  }
  const counted = {
    bind: (...values: unknown[]) => countedStatement(statement.bind(...values)),
    all: call,
    run: call,
    first: async (column?: string) => {
      const [row] = (await call()).results
      return row === undefined ? null : column === undefined ? row : row[column]
    },
    // `raw` does not report rows read; no statement here has two columns with the same name.
    raw: async () => (await call()).results.map((row) => Object.values(row)),
  }
  originals.set(counted, statement)
  // The only methods that the adapters call.
  return counted as unknown as D1PreparedStatement
}

function countedDatabase(db: D1Database): D1Database {
  const counted = {
    prepare: (sql: string) => countedStatement(db.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      used.d1Calls++
      const results = await db.batch(statements.map((statement) => originals.get(statement) ?? statement))
      for (const result of results) countResult(result)
      return results
    },
  }
  // The only methods that the adapters call.
  return counted as unknown as D1Database
}

const open = caches.open.bind(caches)
caches.open = async (name) => {
  const cache = await open(name)
  const counted = Object.fromEntries(
    (['match', 'put', 'delete'] as const).map((method) => [
      method,
      (...args: unknown[]) => {
        used.cacheCalls++
        // The arguments are those of the called method.
        return (cache[method] as (...all: unknown[]) => unknown).apply(cache, args)
      },
    ]),
  )
  return counted as unknown as Cache
}

let bindings: GateBindings | undefined

export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url)
    if (pathname === '/bare')
      return Response.json({ answer: ((await request.json()) as { question: string }).question })
    if (pathname === '/used') {
      const before = used
      used = { ...NOTHING }
      return Response.json(before)
    }
    bindings ??= { ...env, DB: countedDatabase(env.DB) }
    return worker.fetch(request, bindings, ctx)
  },
} satisfies ExportedHandler<GateBindings>
