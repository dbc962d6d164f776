/**
 * The answer cache against a model of what may be sent: bursts of askers, streams, slow and failing leaders, purges, changes
 * of documents and passing time, at random and at once. `MODEL_SEED` repeats a run.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { createMemoryCoalescer } from '../../src/adapters/memory-coalescer.ts'
import { aGate, type HandlerContext, rankingOf, STRONG } from '../fixtures/gate.ts'
import { examples } from '../properties.ts'

const OPERATIONS = examples(150, 10_000)

const SCRIPTS = [
  'json',
  'json',
  'stream',
  'stream',
  'slow',
  'slow stream',
  'fails',
  'breaks',
  'private',
  'cut',
] as const
type Script = (typeof SCRIPTS)[number]

/** One call of the handler. */
interface Call {
  readonly id: number
  readonly question: number
  readonly script: Script
  /** When its asker came, and when it began, in steps of the model. */
  readonly askedAt: number
  readonly begunAt: number
  readonly askedMs: number
  /** What the documents said. */
  readonly text: number
  sentTo: number
  endedAt: number
}

/** Numbers below 1, the same for the same seed. @see https://en.wikipedia.org/wiki/Xorshift */
function randomOf(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

beforeEach(() => {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => undefined)
})
afterEach(() => void vi.restoreAllMocks())

it(
  `sends no answer that the model of the cache forbids, over ${OPERATIONS} operations`,
  async () => {
    const seed = Number(process.env['MODEL_SEED'] ?? Date.now() % 0x7fff_ffff)
    console.log(`modelled operations: MODEL_SEED=${seed}`)
    const random = randomOf(seed)
    const upTo = (count: number): number => Math.floor(random() * count)
    const pick = <Each>(list: readonly Each[]): Each => list[upTo(list.length)]!

    let step = 0
    let version = 1
    /** What the documents say of each question, as a number that rises. */
    const texts = [0, 0, 0]
    const questions = texts.map((_, at) => `How does the engine start?${'?'.repeat(at)}`)
    /** When the last purge of each question was over. */
    const purgedAt = [-1, -1, -1]
    const calls: Call[] = []
    let script: Script = 'json'

    const purges = createMemoryAnswerPurges()
    const gate = aGate({
      corpusVersion: () => version,
      finds: ({ question }) => rankingOf([`${STRONG} Text ${texts[questions.indexOf(question)]}.`]),
      cache: { store: createMemoryAnswerCache(), purges, coalescer: createMemoryCoalescer({ leaderTimeoutMs: 12 }) },
      handler,
    })

    async function handler(c: HandlerContext): Promise<Response> {
      const { question, evidence } = c.var.ragGate
      const asker = JSON.parse(c.req.header('x-asker')!) as Pick<Call, 'askedAt' | 'askedMs'>
      const text = Number(/Text (\d+)/.exec(evidence.chunks[0]!.text)![1])
      const call: Call = {
        id: calls.length,
        question: questions.indexOf(question),
        script,
        ...asker,
        begunAt: ++step,
        text,
        sentTo: 0,
        endedAt: Infinity,
      }
      calls.push(call)
      const said = `call ${call.id}.`
      await pause(script.startsWith('slow') ? 16 : 1)
      if (call.script === 'fails') {
        return c.json({ error: said }, 503)
      }
      if (call.script === 'stream' || call.script === 'slow stream' || call.script === 'breaks') {
        const events = [
          `data: {"choices":[{"index":0,"delta":{"content":"${said}"}}]}\n\n`,
          'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
          'data: [DONE]\n\n',
        ]
        let at = 0
        const body = new ReadableStream<Uint8Array>({
          async pull(controller) {
            await pause(2)
            const event = events[at++]
            if (call.script === 'breaks' && at > 1) controller.error(new Error('reset'))
            else if (event === undefined) controller.close()
            else controller.enqueue(new TextEncoder().encode(event))
          },
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }
      if (call.script === 'cut') c.var.ragGate.report({ complete: false })
      return c.json({ answer: said }, 200, call.script === 'private' ? { 'cache-control': 'private' } : {})
    }

    /** One asks, and what is sent is held against the model. */
    async function ask(question: number): Promise<void> {
      const askedAt = ++step
      const askedMs = gate.clock.atMs
      const [purged, textBefore] = [purgedAt[question]!, texts[question]!]
      const response = await gate.app.request('/ask', {
        method: 'POST',
        body: JSON.stringify({ question: questions[question] }),
        headers: { 'content-type': 'application/json', 'x-asker': JSON.stringify({ askedAt, askedMs }) },
      })
      const body = await response.text()
      const about = `seed ${seed}, step ${askedAt}, question ${question}: ${response.status} ${response.headers.get('cache-status')} ${body}`
      const said = /call (\d+)\./.exec(body)
      // An error of the handler names its call; a failure before that does not happen here.
      expect(said, about).not.toBeNull()
      const call = calls[Number(said![1])]!
      call.sentTo++
      if (call.askedAt === askedAt) call.endedAt = step
      expect(call.question, `${about}: of another question`).toBe(question)
      expect(call.begunAt, `${about}: from before a purge`).toBeGreaterThan(purged)
      // What the documents said while it was asked, not before.
      expect(call.text, `${about}: of documents that changed`).toBeGreaterThanOrEqual(textBefore)
      expect(call.text, about).toBeLessThanOrEqual(texts[question]!)
      if (call.script === 'private' || call.script === 'fails') {
        expect(call.askedAt, `${about}: another caller's own`).toBe(askedAt)
      }
      // What is not whole is not stored: only those get it who asked before it ended.
      if (call.script === 'cut' || call.script === 'breaks') {
        expect(askedAt, `${about}: stored, and not whole`).toBeLessThanOrEqual(call.endedAt)
      }
      expect(body.includes('event: error') || body.includes('"error"'), about).toBe(
        call.script === 'fails' || call.script === 'breaks',
      )
      if (call.script.endsWith('stream')) expect(body.endsWith('data: [DONE]\n\n'), about).toBe(true)
      const age = response.headers.get('age')
      if (age !== null) {
        const seconds = (gate.clock.atMs - call.askedMs) / 1000
        expect(Number(age), about).toBeGreaterThanOrEqual(Math.floor((askedMs - call.askedMs) / 1000))
        expect(Number(age), about).toBeLessThanOrEqual(Math.max(0, Math.floor(seconds)))
        expect(Number(age), about).toBeLessThan(86_400)
      }
    }

    async function purge(): Promise<void> {
      const question = upTo(questions.length)
      const scope = { tenant: 'default', collection: 'default' }
      const one = pick(['everything', 'question', 'answer'] as const)
      if (one === 'everything') {
        await purges.purge([{ kind: 'everything' }])
        purgedAt.fill(step)
      } else if (one === 'question') {
        await purges.purge([{ kind: 'question', ...scope, question: questions[question]! }])
        purgedAt[question] = step
      } else {
        const stored = pick(gate.journal.events)
        if (stored !== undefined) {
          await purges.purge([{ kind: 'answer', tenant: 'default', decisionId: stored.decision.id }])
        }
      }
      step++
    }

    function change(): void {
      const question = upTo(questions.length)
      // Now and then the evidence of no question changes.
      if (random() < 0.7) texts[question]!++
      version++
      step++
    }

    async function operation(): Promise<void> {
      const kind = random()
      if (kind < 0.08) return purge()
      if (kind < 0.14) return change()
      if (kind < 0.2) {
        gate.clock.atMs += pick([1000, 60_000, 3_600_000, 90_000_000])
        return
      }
      script = pick(SCRIPTS)
      const question = upTo(questions.length)
      const before = calls.length
      const askers = 1 + upTo(6)
      const asking = Array.from({ length: askers }, async () => {
        if (random() < 0.3) await pause(upTo(6))
        await ask(question)
      })
      if (random() < 0.15) asking.push(purge())
      if (random() < 0.1) asking.push(Promise.resolve().then(change))
      await Promise.all(asking)
      await pause(1)
      expect(calls.length - before, `seed ${seed}, step ${step}`).toBeLessThanOrEqual(askers)
    }

    for (let done = 0; done < OPERATIONS; done++) await operation()
    const sent = calls.reduce((sum, call) => sum + call.sentTo, 0)
    console.log(`modelled operations: ${OPERATIONS}, askers ${sent}, calls ${calls.length}`)
    expect(calls.length).toBeLessThan(sent)
  },
  Math.max(60_000, OPERATIONS * 60),
)
