import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createD1AuditTrail } from '../../../packages/console/src/d1/audit-trail.ts'

it("lists a tenant's entries of a period and type, the latest first", async () => {
  const insert = env.DB.prepare(
    'INSERT INTO audit_events (id, tenant, at_ms, type, decision_id, by, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)',
  )
  await env.DB.batch([
    insert.bind('before', 'acme', 9, 'A', null, null, '{}'),
    insert.bind('a', 'acme', 10, 'A', 'event', null, '{"confidence":0.5}'),
    insert.bind('c', 'acme', 11, 'B', null, 'admin', '{}'),
    insert.bind('b', 'acme', 11, 'A', null, 'admin', '{}'),
    insert.bind('end', 'acme', 12, 'A', null, null, '{}'),
    insert.bind('foreign', 'globex', 11, 'A', null, null, '{}'),
  ])
  const trail = createD1AuditTrail({ db: env.DB })
  const query = { tenant: 'acme', fromMs: 10, toMs: 12, limit: 10 }
  const ids = async (given: object) => (await trail.list({ ...query, ...given })).map(({ id }) => id)
  expect([await ids({}), await ids({ limit: 2 }), await ids({ type: 'A' }), await ids({ type: 'C' })]).toEqual([
    ['c', 'b', 'a'],
    ['c', 'b'],
    ['b', 'a'],
    [],
  ])
  expect((await trail.list(query)).slice(1)).toEqual([
    { id: 'b', atMs: 11, type: 'A', decisionId: null, by: 'admin', payload: {} },
    { id: 'a', atMs: 10, type: 'A', decisionId: 'event', by: null, payload: { confidence: 0.5 } },
  ])
})
