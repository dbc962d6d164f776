/** Services called over the wire: KV, the index, the search over it, rerankers and the model. */
import type { KvStore } from '../../packages/cloudflare/src/kv-answer-cache.ts'
import { createLlmGrader } from '../../packages/models/src/llm-grader.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { terms } from '../../src/language/english/terms.ts'
import type { ChunkIndex } from '../../src/ports/chunk-index.ts'
import type { Reranker } from '../../src/ports/reranker.ts'
import { plainResponse } from './messages.ts'
import { marksIn } from './truth.ts'
import { runningNow, type VirtualTime } from './virtual-time.ts'
import type { Wire } from './wire.ts'

/** Memoises a pure function: the texts of a simulation are few and recur. */
export function once<Read>(read: (text: string) => Read): (text: string) => Read {
  const known = new Map<string, Read>()
  return (text) => {
    let found = known.get(text)
    if (found === undefined) {
      if (known.size > 5000) known.clear()
      known.set(text, (found = read(text)))
    }
    return found
  }
}

const termsOf = once(terms)

/** The end of every answer of the model. */
export const END_OF_ANSWER = 'That is all.'

interface Held {
  readonly text: string
  readonly untilMs: number
  /** The value that another data centre still sees. */
  readonly before: string | null
  readonly putMs: number
}

export class Services {
  readonly #time: VirtualTime
  readonly #wire: Wire
  readonly #index = new Map<string, Map<string, Passage>>()
  readonly #kv = new Map<string, Held>()

  constructor(time: VirtualTime, wire: Wire) {
    this.#time = time
    this.#wire = wire
  }

  /** All that the index holds of a written text. */
  get indexed(): number {
    return [...this.#index.values()].reduce((sum, { size }) => sum + size, 0)
  }

  kvStore(): KvStore {
    const time = this.#time
    const at = (name: string, stale: boolean): string | null => {
      const held = this.#kv.get(name)
      if (held === undefined || held.untilMs < time.nowMs) return null
      return stale && time.nowMs - held.putMs < 60_000 ? held.before : held.text
    }
    return {
      get: (name) =>
        this.#wire(
          'kv',
          () => at(name, false),
          (random) => {
            const text = at(name, true)
            const other = [...this.#kv.values()][Math.floor(random() * this.#kv.size)]?.text ?? null
            return pick(random, [
              text,
              other,
              text?.slice(0, text.length / 2) ?? null,
              text?.replaceAll(/x\d+x\d+z/g, 'x7x7z') ?? null,
              '[]',
            ])
          },
        ),
      put: (name, text, { expirationTtl }) =>
        this.#wire(
          'kv',
          () => {
            const before = at(name, false)
            this.#kv.set(name, { text, before, putMs: time.nowMs, untilMs: time.nowMs + expirationTtl * 1000 })
          },
          () => {
            throw new Error('KV PUT failed: 429 Too Many Requests')
          },
        ),
      delete: (name) => this.#wire('kv', () => void this.#kv.delete(name)),
    }
  }

  reranker(reranks: 'no' | 'cross-encoder' | 'grade'): Reranker | undefined {
    if (reranks === 'no') return undefined
    if (reranks === 'grade') {
      const baseUrl = 'https://grader.example/v1'
      return createLlmGrader({ baseUrl, apiKey: 'key', model: 'g', fetch: (_, init) => this.#grade(init) })
    }
    return {
      model: reranks,
      kind: reranks,
      rerank: ({ question, passages }) => {
        const scores = passages.map(({ text }) => shareOf(question, text))
        return this.#wire(
          'reranker',
          () => scores,
          (random) => pick(random, [scores.slice(1), scores.map(() => NaN), scores.map(() => 99), [], [...scores, 1]]),
        )
      },
    }
  }

  /** The grading model. */
  #grade(init: RequestInit): Promise<Response> {
    // Format of `createLlmGrader`: words of the corpus contain nothing that it escapes.
    const { messages } = JSON.parse(String(init.body)) as { messages: { content: string }[] }
    const { content } = messages.at(-1)!
    const question = content.slice(content.lastIndexOf('<question>') + 10, -11)
    const passages = content.split('<passage number="').slice(1)
    const lines = passages.map((text, at) => `${at + 1}: ${Math.round(3 * shareOf(question, text))}`)
    const whole = (reply: string): string => JSON.stringify({ choices: [{ message: { content: reply } }] })
    return this.#wire(
      'reranker',
      () => plainResponse(whole(lines.join('\n'))),
      (random) =>
        badResponse(random, whole(lines.join('\n')), [
          () => plainResponse(whole(lines.slice(1).join('\n'))),
          () => plainResponse(whole(lines.map((line) => line.replace(/\d$/, '99')).join('\n'))),
          () => plainResponse(whole([...lines, '1: 3'].join('\n'))),
          () => plainResponse(whole('Score: 3')),
          () => plainResponse(whole(lines.map((line) => line.replace(/\d$/, 'NaN')).join('\n'))),
          () => plainResponse('{"choices":null}'),
        ]),
    )
  }

  chunkIndex(): ChunkIndex {
    const wire = this.#wire
    const of = (namespace: string): Map<string, Passage> => {
      const known = this.#index.get(namespace) ?? new Map<string, Passage>()
      this.#index.set(namespace, known)
      return known
    }
    return {
      describe: () => wire('embedder', () => ({ embeddingModel: 'e', dimension: 2 })),
      upsert: (namespace, passages) =>
        wire(
          'index',
          () => passages.forEach((passage) => of(namespace).set(passage.id, passage)),
          () => {
            for (const passage of passages.slice(0, passages.length / 2)) of(namespace).set(passage.id, passage)
            throw new Error('index: 500')
          },
        ),
      fetch: (namespace, ids) => wire('index', () => ids.map((id) => of(namespace).get(id) ?? null)),
      delete: (namespace, ids) => wire('index', () => ids.forEach((id) => of(namespace).delete(id))),
      settle: () => wire('index', () => undefined),
    }
  }

  /** The search service: BM25 over the index. */
  search(init: RequestInit): Promise<Response> {
    // Format of `createHttpRetriever`.
    const { question, topK, namespace } = JSON.parse(String(init.body)) as {
      question: string
      topK: number
      namespace: string
    }
    const rowsOf = (name: string) => {
      const passages = [...(this.#index.get(name)?.values() ?? [])]
      const read = passages.map((passage) => ({ passage, words: termsOf(passage.text) }))
      const wanted = [...new Set(termsOf(question))].map((term) => {
        const holding = read.filter(({ words }) => words.includes(term)).length
        return { term, idf: Math.log(1 + (read.length - holding + 0.5) / (holding + 0.5)) }
      })
      return read
        .map(({ passage, words }) => ({
          ...passage,
          namespace: name,
          score: wanted.reduce((sum, { term, idf }) => sum + (words.includes(term) ? idf : 0), 0),
        }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, topK)
    }
    return this.#wire(
      'retriever',
      () => plainResponse(JSON.stringify({ results: rowsOf(namespace) })),
      (random) => {
        const rows = rowsOf(namespace)
        const foreign = [...this.#index.keys()].filter((name) => name !== namespace)
        return badResponse(random, JSON.stringify({ results: rows }), [
          () => plainResponse(JSON.stringify({ results: rows.map((row) => ({ ...row, score: 'NaN' })) })),
          () => plainResponse(JSON.stringify({ results: rows }).replaceAll(/"score":[\d.]+/g, '"score":1e999')),
          () => plainResponse(JSON.stringify({ results: foreign.flatMap(rowsOf) })),
          () => plainResponse(JSON.stringify({ results: [...rows].reverse().flatMap((row) => [row, row]) })),
          () => plainResponse('{"results":null}'),
        ])
      },
    )
  }

  /** The model: it repeats the text that it was given. */
  answer(init: RequestInit): Promise<Response> {
    // Format of `createOpenAiGenerator`.
    const { messages, stream } = JSON.parse(String(init.body)) as { messages: { content: string }[]; stream?: boolean }
    const text = `It says: ${messages
      .map(({ content }) =>
        marksIn(content)
          .map((mark) => `zq${Object.values(mark).join('x')}z`)
          .join(' '),
      )
      .join(' ')} ${END_OF_ANSWER}`
    if (stream !== true) {
      const whole = (finish: string | null, content = text): string =>
        JSON.stringify({ model: 'm', choices: [{ finish_reason: finish, message: { role: 'assistant', content } }] })
      return this.#wire(
        'model',
        () => plainResponse(whole('stop')),
        (random) =>
          badResponse(random, whole('stop'), [
            () => plainResponse(whole('length', text.slice(0, -END_OF_ANSWER.length))),
            () => plainResponse(whole(null)),
            () => plainResponse('{"error":{"message":"no"}}'),
          ]),
      )
    }
    const pieces = [...(text.match(/.{1,20}/gs) ?? []), ''].map((content, at, all) => {
      const finish = at === all.length - 1 ? 'stop' : null
      return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
    })
    pieces.push('data: [DONE]\n\n')
    const time = this.#time
    const drip = (sent: readonly string[], end: 'close' | 'hang' | 'break'): Response => {
      let at = 0
      let isLeft = false
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) =>
            new Promise((resolve) => {
              time.after(20, runningNow(), () => {
                const piece = sent[at++]
                if (isLeft) resolve()
                else if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece))
                else if (end === 'close') controller.close()
                else if (end === 'break') controller.error(new Error('connection lost'))
                if (piece !== undefined || end !== 'hang') resolve()
              })
            }),
          cancel: () => {
            isLeft = true
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      )
    }
    return this.#wire(
      'model',
      () => drip(pieces, 'close'),
      (random) => {
        const some = pieces.slice(0, Math.floor(random() * pieces.length))
        return badResponse(random, text, [
          () => drip(some, 'close'),
          () => drip(some, 'hang'),
          () => drip(some, 'break'),
        ])
      },
    )
  }
}

/** Share of a question's terms in a text. */
function shareOf(question: string, text: string): number {
  const wanted = termsOf(question)
  const there = termsOf(text)
  return wanted.filter((term) => there.includes(term)).length / Math.max(1, wanted.length)
}

function pick<Value>(random: () => number, of: readonly Value[]): Value {
  return of[Math.floor(random() * of.length)]!
}

/** A service's bad responses, in addition to its specific ones. */
function badResponse(random: () => number, good: string, own: readonly (() => Response)[]): Response {
  return pick(random, [
    ...own,
    () => plainResponse('{"error":"busy"}', 429, { 'retry-after': '7' }),
    () => plainResponse('{"error":"broken"}', 500),
    () => plainResponse('<h1>Bad gateway</h1>', 502),
    () => plainResponse('{"error":"key"}', 401),
    () => plainResponse(good.slice(0, good.length / 2)),
    () => plainResponse(''),
    () => new Response(new ReadableStream({ start: () => undefined })),
    () => plainResponse('', 302, { location: 'https://elsewhere.example/' }),
  ])()
}
