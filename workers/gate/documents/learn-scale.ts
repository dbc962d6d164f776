/** Learns the scales of collections in the background: after documents or policy changed, and by cron trigger. */
import { type CollectionName, learnIfNeeded } from '@hono-rag-gate/ingest'
import { errorForLog } from 'hono-rag-gate/errors'
import type { Composition } from '../compose.ts'
import { policyFor } from '../policies/policy-for.ts'

/** Documents often come in several requests; only the last one starts learning. */
const QUIET_MS = 2_000
/** Work after a response is cut off after 30 seconds. */
const LEARNING_MS = 20_000
/** Number of collections checked per cron run; an unchanged one costs one or two row reads. */
const LOOKED_AT = 50
/** Sorts before every collection, because tenant names are not empty. */
const FIRST: CollectionName = { tenant: '', id: '' }

/** Learns when no further documents have come. Never throws: the cron trigger tries again. */
export async function learnAfter(composition: Composition, tenant: string, id: string): Promise<void> {
  const version = async () => (await composition.ingest.collections.find(tenant, id))?.corpusVersion
  try {
    const before = await version()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    if ((await version()) === before) await learn(composition, { tenant, id })
  } catch (thrown) {
    warn(thrown)
  }
}

/** Learns the scale of the next collection that needs it. */
export async function learnOne(composition: Composition): Promise<void> {
  const { ingest, statistics } = composition
  const { jobRecords } = statistics
  const after = (await jobRecords.cursor<CollectionName>('scales')) ?? FIRST
  const names = await ingest.collections.collectionsAfter(after, LOOKED_AT)
  let next = names.length < LOOKED_AT ? FIRST : names.at(-1)!
  for (const name of names) {
    try {
      if (!(await learn(composition, name))) continue
      next = name
      break
    } catch (thrown) {
      warn(thrown)
    }
  }
  if (next.tenant !== after.tenant || next.id !== after.id) await jobRecords.keepCursor('scales', { ...next })
}

async function learn({ gate, ingest, reader, scaleWindows }: Composition, name: CollectionName): Promise<boolean> {
  const { index, collections, clock } = ingest
  const endMs = clock.nowMs() + LEARNING_MS
  const learned = await learnIfNeeded(
    { retriever: gate.retriever, index, collections, clock },
    name,
    (collection) => policyFor(collection.policyId, collection, reader),
    { windows: scaleWindows, isOver: () => clock.nowMs() > endMs },
  )
  return learned !== undefined
}

function warn(thrown: unknown): void {
  console.warn(`[rag-gate] no scale learned: ${errorForLog(thrown)}`)
}
