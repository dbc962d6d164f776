/** The commands that the Worker is bundled with in the place of the client of Upstash Vector: the same requests and results. */
import { Index, QueryMode, type Requester, WeightingStrategy } from '@upstash/vector'
import { expect, it } from 'vitest'
import * as own from '../../../workers/gate/upstash-parts.ts'

const n = { namespace: 'n' }
const inText = { topK: 3, data: 'text', queryMode: QueryMode.SPARSE, weightingStrategy: WeightingStrategy.IDF }
const byVector = { topK: 3, vector: [0, 1], includeMetadata: true }
const bySparse = { topK: 3, sparseVector: { indices: [1], values: [2] } }

const COMMANDS: Readonly<Record<string, (index: Index) => Promise<unknown>>> = {
  'what the index is': (index) => index.info(),
  'texts to write': (index) => index.upsert([{ id: 'a', data: 'text', metadata: { b: 1 } }], n),
  'ids to read': (index) => index.fetch(['a', 'b'], { includeData: true, includeMetadata: true, namespace: 'n' }),
  'ids to remove': (index) => index.delete({ ids: ['a'] }, n),
  'a query of a text': (index) => index.query(inText, n),
  'a query of a vector': (index) => index.query(byVector, n),
  'a query of a sparse vector': (index) => index.query(bySparse, n),
  'queries of texts': (index) => index.queryMany([{ ...inText, queryMode: QueryMode.DENSE }, inText], n),
  'queries of vectors': (index) => index.queryMany([byVector, bySparse], n),
  'a query of the namespace without a name': (index) => index.query(byVector, { namespace: '' }),
}

it.each(Object.entries(COMMANDS))('%s', async (_, command) => {
  expect(await sentBy(own.Index as unknown as typeof Index, command)).toEqual(await sentBy(Index, command))
})

it('a failed request fails the command', async () => {
  const request = () => Promise.reject(new Error('gone'))
  await expect(new own.Index({ request }).info()).rejects.toThrow('gone')
})

it('names modes and weights as the client does', () => {
  expect(QueryMode).toMatchObject(own.QueryMode)
  expect(WeightingStrategy).toMatchObject(own.WeightingStrategy)
})

async function sentBy(Client: typeof Index, command: (index: Index) => Promise<unknown>): Promise<unknown> {
  const requests: unknown[] = []
  const request = (sent: unknown) => {
    requests.push(JSON.parse(JSON.stringify(sent)))
    return Promise.resolve({ result: [[], 'what came back'] })
  }
  // A result of no command in particular.
  const result = await command(new Client({ request: request as Requester['request'] }))
  return { requests, result }
}
