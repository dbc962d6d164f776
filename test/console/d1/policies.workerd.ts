import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { createD1Policies, type PushedPolicy } from '../../../packages/console/src/d1/policies.ts'
import type { PolicyPin } from '../../../src/core/policy/policy-pin.ts'

const clock = { atMs: 1_000, nowMs: () => clock.atMs }
const policies = createD1Policies({ db: env.DB, clock })

const pin = (collection: string, corpusVersion = 1): PolicyPin => ({
  collection,
  embedding_model: 'words',
  dimension: 0,
  lexicon_id: 'l',
  corpus_version: corpusVersion,
})
const aPolicy = (id: string, given: Partial<PushedPolicy> = {}) => ({
  id,
  tenant: 'acme',
  name: id.split('@')[0]!,
  settings: { bands: {} },
  pin: null,
  evidence: null,
  createdBy: 'ann',
  why: '',
  ...given,
})

beforeEach(async () => {
  clock.atMs = 1_000
  const tables = ['pushed_policies', 'policies', 'audit_events', 'tenants', 'collections']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

it.each([
  [{ clock }, 'db'],
  [{ db: {}, clock }, 'db'],
  [{ db: env.DB }, 'clock'],
  [{ db: env.DB, clock: {} }, 'clock'],
])('rejects the options %j', (options, param) => {
  expect(() => createD1Policies(options as Parameters<typeof createD1Policies>[0])).toThrow(
    expect.objectContaining({ code: 'config_invalid', param }),
  )
})

it('numbers the different policies of a name, tenant by tenant', async () => {
  const versionOf = async (id: string, tenant = 'acme') => (await policies.push(aPolicy(id, { tenant }))).version
  expect([await versionOf('p@1'), await versionOf('p@2'), await versionOf('q@1'), await versionOf('p@1')]).toEqual([
    1, 2, 1, 1,
  ])
  expect(await versionOf('p@2', 'globex')).toBe(1)
  clock.atMs = 2_000
  expect(await versionOf('p@0')).toBe(3)
  const ids = async (tenant: string) => (await policies.listPushed(tenant)).map(({ id, version }) => [id, version])
  expect(await ids('acme')).toEqual([['p@0', 3], ['p@2', 2], expect.anything(), expect.anything()])
  expect(await ids('globex')).toEqual([['p@2', 1]])
  expect(await policies.pushed('acme', 'q@1')).toEqual({ ...aPolicy('q@1'), version: 1, createdAtMs: 1_000 })
  expect(await policies.pushed('globex', 'q@1')).toBeUndefined()
})

it('a policy pushed again changes for a reason, another pin or other evidence, and stays with its collection', async () => {
  const push = async (given: Partial<PushedPolicy>) => {
    clock.atMs += 1_000
    return policies.push(aPolicy('p@1', { createdBy: `at ${clock.atMs}`, ...given }))
  }
  const first = await push({ pin: pin('manual'), why: 'first' })
  expect(first).toMatchObject({ createdAtMs: 2_000, createdBy: 'at 2000', why: 'first' })
  expect(await push({ pin: pin('manual') })).toEqual(first)
  expect(await push({ pin: pin('wiki'), why: 'elsewhere' })).toEqual(first)
  expect(await push({ why: 'unpinned' })).toEqual(first)
  const newer = { pin: pin('manual', 2), createdAtMs: 6_000, createdBy: 'at 6000', why: '' }
  expect(await push({ pin: pin('manual', 2) })).toEqual({ ...first, ...newer })
  const evidence = { labels: 40 }
  expect(await push({ pin: pin('manual', 2), evidence })).toMatchObject({ evidence, createdAtMs: 7_000 })
  expect(await push({ pin: pin('manual', 2), evidence, why: 'again' })).toMatchObject({ createdAtMs: 8_000 })
})

it('knows which tenants have a pinned policy', async () => {
  await policies.push(aPolicy('p@1', { pin: pin('manual') }))
  await policies.push(aPolicy('p@2', { pin: pin('manual') }))
  await policies.push(aPolicy('p@1', { tenant: 'globex' }))
  await policies.push(aPolicy('p@1', { tenant: 'initech', pin: pin('manual') }))
  expect([...(await policies.pinnedAmong(['acme', 'globex', 'umbrella']))]).toEqual(['acme'])
})

it("lists the deployment's policies and the tenant's own, the latest first, at most two hundred", async () => {
  const body = { id: 'balanced@1', name: 'balanced', gates: [] }
  await policies.keep(body)
  clock.atMs = 2_000
  await policies.push(aPolicy('p@1'))
  await policies.push(aPolicy('q@1', { tenant: 'globex' }))
  await policies.keep(body)
  clock.atMs = 3_000
  await policies.keep({ id: 'two-tier@1', name: 'two-tier' })
  expect(await policies.known('acme')).toEqual([
    { id: 'two-tier@1', name: 'two-tier', body: { id: 'two-tier@1', name: 'two-tier' }, firstMs: 3_000 },
    { id: 'p@1', name: 'p', body: { id: 'p@1', bands: {} }, firstMs: 2_000 },
    { id: 'balanced@1', name: 'balanced', body, firstMs: 1_000 },
  ])
  const rows = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => at))
  await env.DB.prepare(
    `INSERT INTO policies (id, name, body, first_ms) SELECT 'd@' || value, 'd', '{}', 10000 + value FROM json_each(?1)`,
  )
    .bind(rows(201))
    .run()
  await env.DB.prepare(
    `INSERT INTO pushed_policies (tenant, id, name, version, settings, created_at_ms, created_by, why)
    SELECT 'acme', 'o@' || value, 'o', value, '{}', 10050 + value, '', '' FROM json_each(?1)`,
  )
    .bind(rows(101))
    .run()
  const known = await policies.known('acme')
  expect([known.length, known[0]!.id, known.some(({ id }) => id === 'o@0')]).toEqual([200, 'd@200', false])
  expect(await policies.listPushed('acme')).toHaveLength(100)
})

it('the choice is that of the collection itself, or of the tenant', async () => {
  await env.DB.batch([
    env.DB.prepare(`INSERT INTO tenants (id, policy_id) VALUES ('acme', 'strict'), ('globex', NULL)`),
    env.DB.prepare(
      `INSERT INTO collections (tenant, id, policy_id, corpus_version, embedding_model, dimension, updated_at_ms)
      VALUES ('acme', 'manual', 'mild', 1, '', 0, 0), ('acme', 'wiki', NULL, 1, '', 0, 0)`,
    ),
  ])
  const chosen = (tenant: string, collection: string | null) => policies.chosen(tenant, collection)
  expect([await chosen('acme', null), await chosen('globex', null), await chosen('umbrella', null)]).toEqual([
    'strict',
    null,
    null,
  ])
  expect([await chosen('acme', 'manual'), await chosen('acme', 'wiki'), await chosen('globex', 'manual')]).toEqual([
    'mild',
    null,
    null,
  ])
})

it('choices are listed the latest first, at most a hundred, those of other tenants and of other kinds left out', async () => {
  const choose = async (tenant: string, collection: string | null, given: object = {}) => {
    clock.atMs += 1
    const choice = { tenant, collection, policy: 'mild', policyId: 'mild@1', by: 'ann', why: 'try', before: null }
    await policies.recordChoice({ rollback: false, ...choice, ...given })
  }
  await choose('acme', 'manual')
  await choose('acme', null, { rollback: true, policy: null, before: 'strict', why: '' })
  await choose('globex', null)
  await env.DB.prepare(
    `INSERT INTO audit_events (id, tenant, at_ms, type, payload) VALUES ('x', 'acme', 9000, 'ADVISORY', '{}')`,
  ).run()
  const common = { tenant: 'acme', policyId: 'mild@1', by: 'ann' }
  expect(await policies.choices('acme')).toEqual([
    { ...common, collection: null, policy: null, atMs: 1_002, why: '', rollback: true, before: 'strict' },
    { ...common, collection: 'manual', policy: 'mild', atMs: 1_001, why: 'try', rollback: false, before: null },
  ])
  const { payload } = (await env.DB.prepare(`SELECT payload FROM audit_events WHERE at_ms = 1001`).first<{
    payload: string
  }>())!
  expect(JSON.parse(payload)).toEqual({
    collection: 'manual',
    policy: 'mild',
    policy_id: 'mild@1',
    why: 'try',
    before: null,
  })
  for (let at = 0; at < 100; at++) await choose('acme', 'wiki')
  expect(await policies.choices('acme')).toHaveLength(100)
})

it('goes back past a thousand choices of others, but not past a thousand of its own', async () => {
  const insert = (from: number, count: number, collection: string) =>
    env.DB.prepare(
      `INSERT INTO audit_events (id, tenant, at_ms, type, payload)
      SELECT ?2 || value, 'acme', value, 'POLICY_CHOSEN',
        json_object('collection', ?2, 'policy', 'p' || value, 'policy_id', '', 'why', '', 'before', 'first')
      FROM json_each(?1)`,
    )
      .bind(JSON.stringify(Array.from({ length: count }, (_, at) => from + at)), collection)
      .run()
  await insert(1, 1, 'manual')
  await insert(2, 1_100, 'wiki')
  expect(await policies.choiceBefore('acme', 'manual')).toMatchObject({ last: { policy: 'p1' }, before: 'first' })
  expect(await policies.choiceBefore('acme', 'wiki')).toMatchObject({ last: { policy: 'p1101' }, before: 'p1100' })
  expect(await policies.choiceBefore('acme', null)).toBeUndefined()
  // The only choice that stands among a thousand: the one before it is not known.
  const rollbacks = `UPDATE audit_events SET payload = json_set(payload, '$.rollback', json('true'), '$.before', 'other')
    WHERE at_ms BETWEEN 2 AND 1100`
  await env.DB.prepare(rollbacks).run()
  expect(await policies.choiceBefore('acme', 'wiki')).toBeUndefined()
  await env.DB.prepare(`DELETE FROM audit_events WHERE at_ms BETWEEN 2 AND 102`).run()
  expect(await policies.choiceBefore('acme', 'wiki')).toMatchObject({ last: { policy: 'p1101' }, before: 'first' })
})

it('takes back one choice by two rollbacks of the same moment, and none by one that changed nothing', async () => {
  const record = async (policy: string | null, before: string | null, rollback = false) => {
    clock.atMs += 1
    const choice = { tenant: 'acme', collection: null, policy, policyId: '', by: 'ann', why: '' }
    await policies.recordChoice({ ...choice, rollback, before })
  }
  const last = async () => {
    const found = await policies.choiceBefore('acme', null)
    return found && [found.last.policy, found.before]
  }
  await record('a', null)
  await record('b', 'a')
  await record('c', 'b')
  await record('b', 'c', true)
  expect(await last()).toEqual(['b', 'a'])
  await record('b', 'c', true)
  expect(await last()).toEqual(['b', 'a'])
  await record('a', 'b', true)
  expect(await last()).toEqual(['a', null])
  await record(null, 'a', true)
  expect(await last()).toBeUndefined()
  await record(null, 'a', true)
  await record(null, null)
  expect(await last()).toEqual([null, null])
})
