/** The columns of a decision under `balanced` over ten passages as the gate records it, for the size of a row. */
import type { D1Database } from '@cloudflare/workers-types'
import { createD1DecisionStore } from '../src/adapters/d1/decision-store.ts'
import { ragGate } from '../src/index.ts'
import { Hono } from 'hono'
import type { DecisionEvent } from '../src/ports/decision-log.ts'
import { balanced } from '../src/presets/balanced/index.ts'

const WORDS =
  `Refunds are paid within thirty days of the return of the goods to the account from which a purchase was made
unless the customer asks for another way and the office agrees in writing before the goods are sent back`.split(/\s+/)

/** Ten passages of the same words in other orders, with ids as long as those from ingestion. */
const PASSAGES = Array.from({ length: 10 }, (_, at) => ({
  id: `k${at}`.padEnd(32, 'abcdefghijklmnop'),
  documentId: `handbook/returns-${at}.md`,
  text: WORDS.map((_word, place) => WORDS[(place * (at + 1) + at) % WORDS.length]).join(' '),
  metadata: {},
}))

async function recorded(): Promise<DecisionEvent> {
  const events: DecisionEvent[] = []
  const app = new Hono()
  app.use(
    '/ask',
    ragGate({
      policy: balanced(),
      dependencies: {
        retriever: {
          retrieve: () =>
            Promise.resolve([
              { kind: 'bm25' as const, entries: PASSAGES.map((passage, at) => ({ passage, score: 28 / (3 + at) })) },
              { kind: 'cosine' as const, entries: PASSAGES.map((passage, at) => ({ passage, score: 2.7 / (3 + at) })) },
            ]),
        },
        log: {
          record: (event) => {
            events.push(event)
            return Promise.resolve()
          },
          flush: () => Promise.resolve(),
        },
      },
    }),
  )
  app.post('/ask', (c) => c.json({ answer: 'Within thirty days.' }))
  const body = JSON.stringify({ question: 'Within how many days are refunds paid after goods are returned?' })
  await app.request('/ask', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (events[0] === undefined) throw new Error('The gate recorded no decision')
  return events[0]
}

/** The values that the store binds for an event, by column. */
async function columnsOf(event: DecisionEvent): Promise<Readonly<Record<string, unknown>>> {
  let bound = '[]'
  const statement = { bind: (batch: string) => (bound = batch) }
  // Only what the store uses.
  const db = { prepare: () => statement, batch: () => Promise.resolve([]) } as unknown as D1Database
  await createD1DecisionStore({ db }).write([{ event, isolate: 'a144-b0ac969d7104', sequence: 1 }])
  // The store's own JSON.
  return (JSON.parse(bound) as [Readonly<Record<string, unknown>>])[0]
}

const columns = await columnsOf(await recorded())

/** Values by column. */
export const BALANCED_DECISION: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    ['policy_id', 'signals', 'signal_shape', 'findings', 'evidence_ids', 'isolate'].map((name) => [
      name,
      columns[name],
    ]),
  ),
  hmac_key_id: 'k1',
  saved: { by: 'cache', inputTokens: 1812, outputTokens: 245, modelCost: 0.000_418, retrievalCost: 0.000_01 },
}
