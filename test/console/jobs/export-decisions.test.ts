import { expect, it, vi } from 'vitest'
import type { PlacedDecision } from '../../../packages/console/src/d1/recorded-decisions.ts'
import { type ExportCursor, exportDecisions } from '../../../packages/console/src/jobs/export-decisions.ts'
import type { ExportOptions } from '../../../packages/console/src/options.ts'
import type { ConsoleParts } from '../../../packages/console/src/parts.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 5, 10)
/** Two hours after the end of the day. */
const NOW_MS = DAY + DAY_MS + 2 * 3_600_000

const row = (place: number, given: object = {}) =>
  ({ id: `event-${place}`, atMs: DAY + place, place, principalId: 'reader', escalate: 0, ...given }) as PlacedDecision

/** A console whose export got so far, with the decisions of one day by tenant. */
function aConsole(
  cursor: ExportCursor | undefined,
  byTenant: Readonly<Record<string, readonly PlacedDecision[]>>,
  given: Partial<ExportOptions> = {},
  counted: { readonly all: boolean; readonly upTo: boolean } = { all: true, upTo: true },
) {
  const kept: ExportCursor[] = []
  const put = vi.fn<(key: string, text: string, options: unknown) => Promise<void>>(async () => undefined)
  const tenantsAfter = vi.fn<(after: string, limit: number, fromMs: number, toMs: number) => Promise<string[]>>(
    async (after, _limit, fromMs) => (fromMs === DAY ? Object.keys(byTenant).filter((tenant) => tenant > after) : []),
  )
  const stretch = vi.fn<ConsoleParts['recorded']['stretch']>(async ({ tenant, fromMs, limit, after = -1 }) =>
    (fromMs === DAY ? byTenant[tenant]! : []).filter(({ place }) => place > after).slice(0, limit),
  )
  const count = vi.fn<ConsoleParts['counting']['count']>(async () => counted.all)
  const isSummedUpTo = vi.fn<ConsoleParts['counting']['isSummedUpTo']>(async () => counted.upTo)
  const own = (name: string): void => expect(name).toBe('exports')
  const parts: { readonly [Part in keyof ConsoleParts]?: Partial<ConsoleParts[Part]> } = {
    counting: { count, isSummedUpTo },
    summaries: { tenantsAfter },
    recorded: { stretch },
    exports: { bucket: { put }, ...given } as unknown as ExportOptions,
    jobRecords: {
      cursor: async <Cursor>(name: string) => (own(name), cursor as Cursor | undefined),
      keepCursor: async (name, next) => (own(name), void kept.push(next as unknown as ExportCursor)),
    },
  }
  // Only the parts in use.
  return { parts: parts as ConsoleParts, kept, put, tenantsAfter, stretch, count, isSummedUpTo }
}

it('does nothing without a bucket', async () => {
  const { parts, kept, tenantsAfter } = aConsole(undefined, {})
  expect(await exportDecisions({ ...parts, exports: undefined }, NOW_MS)).toEqual({ parts: 0, finished: true })
  expect([kept, tenantsAfter.mock.calls]).toEqual([[], []])
})

it.each([
  [undefined, 7],
  // An outage of more than a week.
  [{ dayMs: DAY - 7 * DAY_MS }, 7],
  [{ dayMs: DAY - 6 * DAY_MS }, 7],
  [{ dayMs: DAY - DAY_MS, tenant: 'acme', parts: 1, after: 1 }, 2],
  [{ dayMs: DAY }, 1],
  [{ dayMs: DAY + DAY_MS }, 0],
])('goes on at %j, with at most seven days', async (cursor, days) => {
  const { parts, tenantsAfter } = aConsole(cursor, {})
  expect(await exportDecisions(parts, NOW_MS)).toEqual({ parts: 0, finished: true })
  expect(tenantsAfter.mock.calls.map(([, , fromMs]) => fromMs)).toEqual(
    Array.from({ length: days }, (_, at) => DAY - (days - 1 - at) * DAY_MS),
  )
})

it('a day is over two hours after its end', async () => {
  const early = aConsole({ dayMs: DAY }, { acme: [row(1)] })
  expect(await exportDecisions(early.parts, NOW_MS - 1)).toEqual({ parts: 0, finished: true })
  expect(early.put).not.toHaveBeenCalled()
})

it('without room it keeps its place, and goes on behind the part that it wrote last', async () => {
  const decisions = { acme: Array.from({ length: 1_001 }, (_, at) => row(at)), globex: [row(5_000)] }
  const first = aConsole({ dayMs: DAY }, decisions)
  let asked = 0
  const hasRoom = vi.fn<(most: number) => boolean>(() => ++asked <= 1)
  expect(await exportDecisions(first.parts, NOW_MS, hasRoom)).toEqual({ parts: 1, finished: false })
  expect(hasRoom).toHaveBeenCalledWith(500)
  expect(first.kept.at(-1)).toEqual({ dayMs: DAY, tenant: 'acme', parts: 1, after: 999 })
  const second = aConsole(first.kept.at(-1), decisions)
  expect(await exportDecisions(second.parts, NOW_MS)).toEqual({ parts: 2, finished: true })
  expect(second.put.mock.calls.map(([key]) => key)).toEqual([
    'decisions/acme/2026-06-10/000001.jsonl',
    'decisions/globex/2026-06-10/000000.jsonl',
  ])
  expect(second.kept).toEqual([
    { dayMs: DAY, tenant: 'acme', parts: 2, after: 1_000 },
    { dayMs: DAY, tenant: 'globex', parts: 1, after: 5_000 },
    { dayMs: DAY + DAY_MS },
  ])
})

it.each([
  [undefined, 'jsonl', 'application/x-ndjson'],
  ['csv', 'csv', 'text/csv; charset=utf-8'],
] as const)(
  'as %s an object has its type, its last decision, and whether it is the last',
  async (format, ending, type) => {
    const thousand = Array.from({ length: 1_000 }, (_, at) => row(at))
    const { parts, put } = aConsole(
      { dayMs: DAY },
      { exactly: thousand, more: [...thousand, row(1_000)] },
      format === undefined ? {} : { format },
    )
    expect(await exportDecisions(parts, NOW_MS)).toEqual({ parts: 3, finished: true })
    const last = (place: number, end: string) => ({ last_at_ms: `${DAY + place}`, last_id: `event-${place}`, end })
    const httpMetadata = { contentType: type }
    expect(put.mock.calls.map(([key, , options]) => [key, options])).toEqual([
      [`decisions/exactly/2026-06-10/000000.${ending}`, { httpMetadata, customMetadata: last(999, 'true') }],
      [`decisions/more/2026-06-10/000000.${ending}`, { httpMetadata, customMetadata: last(999, 'false') }],
      [`decisions/more/2026-06-10/000001.${ending}`, { httpMetadata, customMetadata: last(1_000, 'true') }],
    ])
    // And a line of names in a table.
    const lines = put.mock.calls.map(([, text]) => text.trimEnd().split('\n').length - (ending === 'csv' ? 1 : 0))
    expect(lines).toEqual([1_000, 1_000, 1])
  },
)

it('a line says whether the question was handed on', async () => {
  const { parts, put } = aConsole({ dayMs: DAY }, { acme: [row(0), row(1, { escalate: 1 })] })
  await exportDecisions(parts, NOW_MS)
  const lines = put.mock.calls[0]![1].trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { escalate: unknown }).escalate)).toEqual([false, true])
})

it.each([
  [{ all: true, upTo: false }, true],
  [{ all: false, upTo: true }, true],
  [{ all: false, upTo: false }, false],
])('waits until the decisions of its days are counted: %j', async (counted, isExported) => {
  const { parts, put, count, isSummedUpTo } = aConsole({ dayMs: DAY }, { acme: [row(1)] }, {}, counted)
  expect(await exportDecisions(parts, NOW_MS)).toEqual({ parts: isExported ? 1 : 0, finished: isExported })
  expect([put.mock.calls.length, count.mock.calls]).toEqual([isExported ? 1 : 0, [['sums']]])
  expect(isSummedUpTo.mock.calls).toEqual(counted.all ? [] : [[DAY + DAY_MS]])
})

it('counts nothing when every day is exported', async () => {
  const { parts, count } = aConsole({ dayMs: DAY + DAY_MS }, {}, {}, { all: false, upTo: false })
  expect(await exportDecisions(parts, NOW_MS)).toEqual({ parts: 0, finished: true })
  expect(count).not.toHaveBeenCalled()
})

it('goes on with its tenant, also on the first of the days, and reads no other period', async () => {
  const cursor = { dayMs: DAY, tenant: 'acme', parts: 1, after: 1 }
  const { parts, put, tenantsAfter, stretch } = aConsole(cursor, {
    acma: [row(1)],
    acme: [row(1), row(2)],
    globex: [],
  })
  await exportDecisions(parts, NOW_MS + 6 * DAY_MS)
  expect(put.mock.calls.map(([key]) => key)).toEqual(['decisions/acme/2026-06-10/000001.jsonl'])
  expect(tenantsAfter.mock.calls.slice(0, 2)).toEqual([
    ['acm', -1, DAY, DAY + DAY_MS],
    ['', -1, DAY + DAY_MS, DAY + 2 * DAY_MS],
  ])
  const page = { fromMs: DAY, toMs: DAY + DAY_MS, limit: 1_001 }
  expect(stretch.mock.calls).toEqual([
    [{ ...page, tenant: 'acme', after: 1 }],
    [{ ...page, tenant: 'globex', after: undefined }],
  ])
})

it.each(['jsonl', 'csv'] as const)('as %s neither person nor question is exported', async (format) => {
  const personal = { questionHmac: 'canary-1', hmacKeyId: 'canary-2', audit: [{ type: 'canary-3' }] }
  const given = { principalId: 'canary-0', questionText: 'canary-4', ...personal }
  const { parts, put } = aConsole({ dayMs: DAY }, { acme: [row(0, given), row(1, { principalId: '' })] }, { format })
  await exportDecisions(parts, NOW_MS)
  const text = put.mock.calls[0]![1]
  expect(text).not.toMatch(/canary|principal|hmac|question/)
  const lines = text.trimEnd().split('\n')
  if (format === 'jsonl') {
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { id: 'event-0', at: '2026-06-10T00:00:00.000Z', escalate: false },
      { id: 'event-1', at: '2026-06-10T00:00:00.001Z', escalate: false, erased: true },
    ])
  }
})
