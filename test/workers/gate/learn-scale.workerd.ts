/** A collection learns its scale behind the requests that fill it. */
import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { seededRandom } from '../../../packages/calibration/src/scale/seeded-random.ts'
import { type CollectionScale, scaledFor } from '../../../src/core/scale/index.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import worker from '../../../workers/gate/index.ts'
import { policyNamed } from '../../../workers/gate/policies/policy-named.ts'
import { ADMIN, beginIsolate, isolateBindings, post } from '../../worker-requests.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const THINGS =
  `gate key ladder engine window garden letter bridge number clock market station forest table river passage tenant
  index score document anchor basket candle drawer feather hammer island jacket kettle lantern mirror needle orchard pillow
  quarry ribbon saddle temple umbrella valley wagon barrel cabin desk fence glove harbour ink jar kite lamp meadow`.split(
    /\s+/,
  )
const DEEDS = 'opens closes counts keeps sells paints measures carries repairs guards stores moves'.split(' ')

/** Documents of five sections, each one passage. */
function documents(from: number, count: number) {
  const random = seededRandom(from + 1)
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)]!
  const sentence = (): string =>
    `The ${one(THINGS)} ${one(DEEDS)} the old ${one(THINGS)} beside a ${one(THINGS)} and never the ${one(THINGS)}.`
  return Array.from({ length: count }, (_, at) => ({
    id: `d${from + at}`,
    format: 'markdown',
    text: Array.from(
      { length: 5 },
      (__, section) => `# ${one(THINGS)} ${section}\n\n${Array.from({ length: 7 }, sentence).join(' ')}`,
    ).join('\n\n'),
  }))
}

const scaleOf = async (collection: string): Promise<CollectionScale | null> => {
  const row = await env.DB.prepare('SELECT scale FROM collections WHERE id = ?1')
    .bind(collection)
    .first<{ scale: string | null }>()
  return row?.scale == null ? null : (JSON.parse(row.scale) as CollectionScale)
}

/** Waits until the collection has learned anew. */
const learned = (collection: string, before: number): Promise<CollectionScale> =>
  vi.waitUntil(
    async () => {
      const scale = await scaleOf(collection)
      return scale !== null && scale.learnedAtMs > before && scale
    },
    { timeout: 20_000, interval: 200 },
  )

interface Detail {
  readonly calibration: string
  readonly verdict: string
  readonly detail: {
    readonly confidence: number
    readonly signals: Parameters<typeof judge>[1]
    readonly scale?: { readonly origin: string; readonly learned_at: string; readonly stale?: true }
  }
}

async function ask(collection: string, headers = ADMIN): Promise<{ readonly header: string; readonly body: Detail }> {
  const response = await post('/ask', { question: 'What does the lantern of the harbour guard?', collection }, headers)
  return { header: response.headers.get('rag-gate') ?? '', body: await response.json() }
}

describe('a collection', () => {
  test('learns its scale after an ingestion, and every decision reports it', { timeout: 60_000 }, async () => {
    await post('/v1/documents', { collection: 'learning', documents: documents(0, 12) }, ADMIN)
    expect(await scaleOf('learning')).toBeNull()
    const before = await ask('learning')
    expect(before.header).toContain(';calibration=uncalibrated')
    expect(before.body).toMatchObject({ calibration: 'uncalibrated' })
    expect(before.body.detail.scale).toBeUndefined()

    const scale = await learned('learning', 0)
    expect(scale).toMatchObject({
      kind: 'scale',
      origin: 'documents',
      confidence: scaledFor(policyNamed(null)),
      corpusVersion: 1,
      chunkCount: 60,
      windows: 36,
    })
    // The answer from before is not found: it was judged without the scale.
    const after = await ask('learning')
    expect(after.header).toContain(';calibration=scaled')
    expect(after.body.detail.scale).toEqual({
      origin: 'documents',
      learned_at: new Date(scale.learnedAtMs).toISOString(),
    })
    expect(after.body.detail.confidence).not.toBe(before.body.detail.confidence)

    // What was recorded is all that judging takes.
    const again = judge(policyNamed(null), after.body.detail.signals)
    expect(again).toMatchObject({ confidence: after.body.detail.confidence, verdict: after.body.verdict })

    const publicView = await (
      await post('/ask', { question: 'Who sells the kettle of the temple?', collection: 'learning' })
    ).text()
    expect(publicView).toContain('"calibration":"scaled"')
    expect(publicView).not.toContain('learned_at')
  })

  test(
    'keeps its scale after a restart, and learns again once a tenth of it has changed',
    { timeout: 60_000 },
    async () => {
      const first = (await scaleOf('learning'))!
      beginIsolate()
      expect((await ask('learning')).header).toContain(';calibration=scaled')

      const { ingest } = compositionFor(isolateBindings)
      await post('/v1/documents', { collection: 'learning', documents: documents(12, 1) }, ADMIN)
      await vi.waitUntil(async () => (await ingest.collections.find('default', 'learning'))?.corpusVersion === 2)
      // A document of 60 passages' five is too little: the scale stays, and the decision says that it is of before.
      const counted = async () => (await scaleOf('learning'))?.countedVersion === 2
      await vi.waitUntil(counted, { timeout: 20_000, interval: 200 })
      expect(await scaleOf('learning')).toEqual({ ...first, countedVersion: 2 })
      expect((await ask('learning')).body.detail.scale).toMatchObject({ stale: true })

      await post('/v1/documents', { collection: 'learning', documents: documents(13, 1) }, ADMIN)
      const second = await learned('learning', first.learnedAtMs)
      expect(second).toMatchObject({ kind: 'scale', corpusVersion: 3, chunkCount: 70 })
      expect((await ask('learning')).body.detail.scale).not.toHaveProperty('stale')
    },
  )

  test('keeps its scale when a policy with other thresholds is chosen for it', async () => {
    const choose = (policy: string | null) =>
      post('/v1/collections/learning/policy', { policy, why: 'A trial' }, ADMIN, 'PUT')
    const before = await scaleOf('learning')
    await choose('balanced-strict')
    const { header } = await ask('learning')
    expect(header).toContain(policyNamed('balanced-strict').id)
    expect(header).toContain(';calibration=scaled')
    await choose(null)
    expect((await ask('learning')).header).toContain(';calibration=scaled')
    expect(await scaleOf('learning')).toEqual(before)
  })

  test('learns its scale once a policy that reads one is chosen for it', { timeout: 60_000 }, async () => {
    const choose = (policy: string | null) =>
      post('/v1/collections/learning/policy', { policy, why: 'A trial' }, ADMIN, 'PUT')
    await choose('two-tier')
    const { learnedAtMs, ...scale } = (await scaleOf('learning'))!
    const other = JSON.stringify({ ...scale, learnedAtMs, confidence: 'another' })
    await env.DB.prepare(`UPDATE collections SET scale = ? WHERE id = 'learning'`).bind(other).run()
    await choose(null)
    expect(await learned('learning', learnedAtMs)).toMatchObject({ confidence: scale.confidence })
    expect((await ask('learning')).header).toContain(';calibration=scaled')
  })

  test('without a scale learns it when the cron trigger fires', { timeout: 60_000 }, async () => {
    await env.DB.prepare(`UPDATE collections SET scale = NULL WHERE id = 'learning'`).run()
    beginIsolate()
    await worker.scheduled(createScheduledController(), isolateBindings)
    expect(await scaleOf('learning')).toMatchObject({ kind: 'scale', chunkCount: 70 })
  })

  test('with few passages records that they are too few', { timeout: 60_000 }, async () => {
    await post('/v1/documents', { collection: 'small', documents: documents(0, 2) }, ADMIN)
    expect(await learned('small', 0)).toMatchObject({ kind: 'none', reason: 'too-few-windows', windows: 0 })
    expect((await ask('small')).header).toContain(';calibration=uncalibrated')
  })

  test('that cannot learn is judged without a scale, with a warning', { timeout: 60_000 }, async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { ingest } = compositionFor(isolateBindings)
    vi.spyOn(ingest.collections, 'sampleChunks').mockRejectedValue(new TypeError('canary'))
    await post('/v1/documents', { collection: 'failing', documents: documents(0, 6) }, ADMIN)
    await vi.waitUntil(() => warned.mock.calls.length > 0, { timeout: 20_000 })
    expect(warned.mock.calls).toEqual([[expect.stringContaining('no scale learned: TypeError')]])
    expect(await scaleOf('failing')).toBeNull()
    expect((await ask('failing')).header).toContain(';calibration=uncalibrated')
  })
})
