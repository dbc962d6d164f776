/** An app over the packages as they are published, asked in the Node that runs this: one question is answered, one refused. */
import { Hono } from 'hono'
import { balanced, ragGate } from 'hono-rag-gate'
import { createRetriever } from '@hono-rag-gate/upstream'
import { labelsNeeded } from '@hono-rag-gate/calibration'
import { createMarkdownSplitter } from '@hono-rag-gate/ingest/markdown'
import { NAMED_POLICIES } from '@hono-rag-gate/presets'
import { indexSettings } from '@hono-rag-gate/vector-index'

const SHOP = [
  { id: 'returns', text: 'Returns are accepted within fourteen days of delivery. The refund arrives within a week.' },
  { id: 'shipping', text: 'Parcels are shipped every weekday before noon, and reach the customer within three days.' },
]
const search = createRetriever(
  ({ question }) =>
    SHOP.map((passage) => ({
      ...passage,
      score: (question.toLowerCase().match(/\w{4,}/g) ?? []).filter((word) => passage.text.toLowerCase().includes(word))
        .length,
    })).filter(({ score }) => score > 0),
  { scoreKind: 'bm25' },
)
const app = new Hono()
app.post('/ask', ragGate({ policy: balanced(), dependencies: { retriever: search } }), (c) =>
  c.json({ refused: false }),
)

async function isRefused(question) {
  const body = JSON.stringify({ question })
  const response = await app.request('/ask', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return (await response.json()).refused
}

console.log(
  JSON.stringify({
    node: process.versions.node,
    refusedAnswerable: await isRefused('How many days after delivery are returns accepted?'),
    refusedForeign: await isRefused('Who painted the ceiling of the chapel?'),
    policies: Object.values(NAMED_POLICIES).map((make) => make().id).length,
    labels: typeof labelsNeeded,
    splitter: typeof createMarkdownSplitter().split,
    index: typeof indexSettings,
  }),
)
