/** The ready Worker over a database whose search fails for marked questions. Served by `console-show.ts`. */
import type { D1Database } from '@cloudflare/workers-types'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import gate from '../../workers/gate/index.ts'

export { AnswerFlight } from '../../workers/gate/index.ts'

const faulty = new WeakMap<object, GateBindings>()

/** Returns the same wrapped bindings for the same bindings: the gate is built once for each. */
function withFaults(env: GateBindings): GateBindings {
  const made = faulty.get(env) ?? { ...env, DB: failing(env.DB) }
  faulty.set(env, made)
  return made
}

function failing(db: D1Database): D1Database {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'prepare')
        return (sql: string) => (sql.includes(' MATCH ') ? search(target, sql) : target.prepare(sql))
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}

/** Hangs for a question with `zzhangs` in it, and fails for one with `zzbreaks`. */
function search(db: D1Database, sql: string): unknown {
  return {
    bind: (...values: unknown[]) => {
      const asked = values.join(' ')
      if (asked.includes('zzhang')) return { all: () => new Promise(() => undefined) }
      if (asked.includes('zzbreak'))
        return { all: () => Promise.reject(new Error('D1_ERROR: network connection lost')) }
      return db.prepare(sql).bind(...values)
    },
  }
}

export default {
  ...gate,
  fetch: (request, env, context) => gate.fetch(request, withFaults(env), context),
} satisfies ExportedHandler<GateBindings>
