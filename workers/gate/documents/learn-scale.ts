/** Collections learn their scale behind the requests: after documents or a policy came or went, and when the cron trigger fires. */
import { type CollectionName, learnIfNeeded } from '@hono-rag-gate/ingest'
import { errorForLog } from 'hono-rag-gate/errors'
import type { Composition } from '../compose.ts'
import { policyFor } from '../policies/policy-for.ts'

/** Documents often come in several requests: the last of them learns. */
const QUIET_MS = 2_000
/** Work behind a response is cut off after 30 seconds. */
const LEARNING_MS = 20_000
/** Collections that one run of the trigger looks at, with a row read or two each where nothing has changed. */
const LOOKED_AT = 50
/** No tenant has an empty name. */
const FIRST: CollectionName = { tenant: '', id: '' }

/** Learns once no other documents come. It never throws: the trigger tries again. */
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

/** Has the first of those collections learn whose turn it is, and that needs it. */
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
  console.warn(`[rag-gate] a collection could not learn its scale: ${errorForLog(thrown)}`)
}
