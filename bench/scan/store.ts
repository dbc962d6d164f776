/** Writing and loading through the protocol, in workerd with a real Durable Object's SQLite. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalIndex, type LocalIndex } from '../../scripts/local-index.ts'
import { printed, spreadOf } from './spread.ts'

const ROWS = 10_000
const PER_COMMAND = 500
/** Together they do not fit into the index's memory: the one searched longest ago is dropped for the next. */
const NAMESPACES = ['a', 'b', 'c', 'd']

interface Filling {
  readonly index: string
  readonly what: string
  readonly upsert: string
  readonly item: (at: number) => unknown
  readonly query: string
  readonly question: unknown
}

/** @param random draws vectors and words */
export async function benchStore(rounds: number, random: () => number): Promise<void> {
  const word = () => `w${Math.floor(Math.exp(random() * Math.log(20_000)))}`
  const vector = () => Array.from({ length: 384 }, () => Math.fround(random() - 0.5))
  const passage = () => Array.from({ length: 60 }, word).join(' ')
  const fillings: readonly Filling[] = [
    {
      index: 'vectors',
      what: '384 dimensions of float32, given',
      upsert: 'upsert',
      item: (at) => ({ id: `row-${at}`, vector: vector() }),
      query: 'query',
      question: { vector: vector(), topK: 10 },
    },
    {
      index: 'texts',
      what: 'texts of 60 words, embedded in 1,024 dimensions of int8, with their sparse vectors',
      upsert: 'upsert-data',
      item: (at) => ({ id: `row-${at}`, data: passage() }),
      query: 'query-data',
      question: { data: 'w1 w20 w300', topK: 10, queryMode: 'DENSE' },
    },
  ]
  const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
  const index = await startLocalIndex({
    stateDirectory,
    indexes: { vectors: { indexType: 'DENSE', dimension: 384 }, texts: {} },
  })
  try {
    console.log(`\nThrough HTTP, in workerd: ${ROWS} rows in each namespace, ${PER_COMMAND} a command\n`)
    console.log(
      '| rows | written in a second | ms to load a namespace | ms of a query once loaded |\n|---|---|---|---|',
    )
    for (const filling of fillings) await benchFilling(index, filling, rounds)
  } finally {
    await index.stop()
    rmSync(stateDirectory, { recursive: true })
  }
}

async function benchFilling(index: LocalIndex, filling: Filling, rounds: number): Promise<void> {
  const written: number[] = []
  for (const namespace of NAMESPACES) {
    for (let first = 0; first < ROWS; first += PER_COMMAND) {
      const items = Array.from({ length: PER_COMMAND }, (_, at) => filling.item(first + at))
      const milliseconds = await timed(index, filling.index, `${filling.upsert}/${namespace}`, items)
      written.push((PER_COMMAND * 1000) / milliseconds)
    }
  }
  const loads: number[] = []
  const queries: number[] = []
  const ask = (namespace: string) => timed(index, filling.index, `${filling.query}/${namespace}`, filling.question)
  for (let round = 0; round < rounds; round++) {
    const namespace = NAMESPACES[round % NAMESPACES.length]!
    const first = await ask(namespace)
    const second = await ask(namespace)
    loads.push(first - second)
    queries.push(second)
  }
  const columns = [written, loads, queries].map((values) => printed(spreadOf(values)))
  console.log(`| ${[filling.what, ...columns].join(' | ')} |`)
}

/** Milliseconds of a command that must succeed. */
async function timed({ url, tokens }: LocalIndex, name: string, path: string, body: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${tokens.get(name)}` }
  const text = JSON.stringify(body)
  const from = performance.now()
  const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: text })
  const answer = await response.text()
  const milliseconds = performance.now() - from
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${answer.slice(0, 200)}`)
  return milliseconds
}
