/** The export of decisions into a real bucket: everything once, in order, wherever it was stopped, and no names. */
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1Erasures } from '../../../packages/console/src/d1/erasures.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import worker from '../../../workers/gate/index.ts'
import { exportDecisions as exportOf } from '../../../packages/console/src/jobs/export-decisions.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 5, 10)
const NOW = DAY + DAY_MS + 3 * 3_600_000
const bindings: GateBindings = { ...env, EXPORTS: env.TEST_EXPORTS }

const exportDecisions = async (env: GateBindings, nowMs: number) =>
  (await exportOf(compositionFor(env).statistics, nowMs)).parts

async function record(tenant: string, atMs: readonly number[], given: Partial<Decision> = {}): Promise<void> {
  await createD1DecisionStore({
    db: env.DB,
    onRejected: (cause) => {
      throw cause
    },
  }).write(
    atMs.map((at, number) => ({
      event: anEvent(`${tenant}-${String(number).padStart(5, '0')}`, {
        decision: aDecision({ tenant, ...given }),
        atMs: at,
        principalId: 'canary-principal',
        question: { hmac: 'canary-hmac', keyId: 'canary-key', text: 'canary-text' },
        audit: [{ type: 'T', payload: { note: 'canary-audit' } }],
      }),
      isolate: `isolate of ${tenant}`,
      sequence: number + 1,
    })),
  )
}

async function objects(prefix = ''): Promise<Map<string, string>> {
  const { objects: found } = await env.TEST_EXPORTS.list({ prefix: `decisions/${prefix}` })
  const texts = await Promise.all(found.map(async ({ key }) => (await env.TEST_EXPORTS.get(key))!.text()))
  return new Map(found.map(({ key }, at) => [key, texts[at]!]))
}

const linesOf = (texts: Iterable<string>): Record<string, unknown>[] =>
  [...texts].flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line) as Record<string, unknown>)

afterEach(() => void vi.restoreAllMocks())
beforeEach(async () => {
  await env.TEST_EXPORTS.delete([...(await objects()).keys()])
  const tables = ['decisions', 'decision_rollups', 'audit_events', 'isolates', 'erasures', 'jobs']
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

describe('the export of decisions', () => {
  it('writes each whole day of each tenant once, in parts', async () => {
    const times = Array.from({ length: 1_200 }, (_, at) => DAY + Math.floor(at / 3) * 60_000)
    await record('acme', [...times, DAY - 1, DAY + DAY_MS, NOW - 1])
    await record('a/b', [DAY])
    expect(await exportDecisions(bindings, NOW)).toBe(4)
    expect([...(await objects()).keys()]).toEqual([
      'decisions/a%2Fb/2026-06-10/000000.jsonl',
      'decisions/acme/2026-06-09/000000.jsonl',
      'decisions/acme/2026-06-10/000000.jsonl',
      'decisions/acme/2026-06-10/000001.jsonl',
    ])
    const written = linesOf((await objects('acme/2026-06-10/')).values())
    const { results } = await env.DB.prepare(
      `SELECT id FROM decisions WHERE tenant = 'acme' AND at_ms >= ?1 AND at_ms < ?2 ORDER BY at_ms, id`,
    )
      .bind(DAY, DAY + DAY_MS)
      .all<{ id: string }>()
    expect(results).toHaveLength(1_200)
    expect(written.map(({ id }) => id)).toEqual(results.map(({ id }) => id))
    expect(written[0]).toMatchObject({
      at: '2026-06-10T00:00:00.000Z',
      verdict: 'pass',
      policy_id: 'balanced@0123456789abcdef',
      signals: { chunkCount: 2 },
      findings: [],
      document_ids: ['dokument-ä', 'document-b'],
    })
    expect(await exportDecisions(bindings, NOW)).toBe(0)
    // The day that had just begun is there once it is over and two hours have passed.
    expect(await exportDecisions(bindings, DAY + 2 * DAY_MS + 3_600_000)).toBe(0)
    expect(await exportDecisions(bindings, DAY + 2 * DAY_MS + 7_200_000)).toBe(1)
  })

  it('continues after a failure without losing or repeating a decision', async () => {
    await record(
      'acme',
      Array.from({ length: 2_000 }, (_, at) => DAY + Math.floor(at / 1_500)),
    )
    const put = env.TEST_EXPORTS.put.bind(env.TEST_EXPORTS)
    for (let worked = 0; worked < 3; worked++) {
      let left = 1
      const failing = new Proxy(env.TEST_EXPORTS, {
        get: (bucket, name: keyof R2Bucket) =>
          name === 'put'
            ? (...args: Parameters<typeof put>) => (left-- > 0 ? put(...args) : Promise.reject(new Error('R2 is down')))
            : (bucket[name] as () => unknown).bind(bucket),
      })
      await exportDecisions({ ...bindings, EXPORTS: failing }, NOW).catch(() => undefined)
    }
    const ids = linesOf((await objects()).values()).map(({ id }) => id)
    expect([ids.length, new Set(ids).size, (await objects()).size]).toEqual([2_000, 2_000, 2])
    expect(ids).toEqual([...ids].sort())
  })

  it('writes a part as large as a page, and no empty one after it', async () => {
    await record(
      'acme',
      Array.from({ length: 1_000 }, () => DAY),
    )
    expect(await exportDecisions(bindings, NOW)).toBe(1)
    expect(await exportDecisions(bindings, NOW)).toBe(0)
  })

  it.each(['jsonl', 'csv'])('contains no names and no questions as %s', async (EXPORT_FORMAT) => {
    await record('acme', [DAY, DAY + 1])
    await createD1Erasures({ db: env.DB, clock: { nowMs: () => NOW } }).erase('acme', 'canary-principal')
    await record('other', [DAY])
    await exportDecisions({ ...bindings, EXPORT_FORMAT }, NOW)
    const texts = [...(await objects()).values()].join('')
    expect(texts).not.toContain('canary')
    if (EXPORT_FORMAT === 'jsonl') {
      expect(linesOf((await objects()).values()).map(({ erased }) => erased)).toEqual([true, true, undefined])
    } else {
      expect(texts).toMatch(/^id,decision_id,at,collection,verdict,[^\r]*document_ids\r\nacme-00000,/)
    }
  })

  it('waits until its days are counted, but not for later decisions', async () => {
    const { counting } = compositionFor(bindings).statistics
    // More comes between two runs than one of them counts.
    const count = vi.spyOn(counting, 'count').mockResolvedValue(false)
    await record('acme', [DAY])
    expect(await exportDecisions(bindings, NOW)).toBe(0)
    count.mockRestore()
    await counting.count('sums')
    await record('acme', [NOW - 1, NOW])
    vi.spyOn(counting, 'count').mockResolvedValue(false)
    expect(await exportDecisions(bindings, NOW)).toBe(1)
    expect([...(await objects()).keys()]).toEqual(['decisions/acme/2026-06-10/000000.jsonl'])
  })

  it('is made by the cron trigger if a bucket is bound', async () => {
    const yesterday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS - 1
    await record('acme', [yesterday])
    await worker.scheduled(createScheduledController({ cron: '*/15 * * * *' }), env)
    expect((await objects()).size).toBe(0)
    await worker.scheduled(createScheduledController({ cron: '*/15 * * * *' }), bindings)
    expect((await objects()).size).toBe(1)
  })

  it('rejects a third format', async () => {
    await expect(exportDecisions({ ...bindings, EXPORT_FORMAT: 'xml' }, NOW)).rejects.toMatchObject({
      code: 'config_invalid',
      param: 'EXPORT_FORMAT',
    })
  })
})
