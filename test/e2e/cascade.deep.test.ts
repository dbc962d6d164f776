/** A cascade by the variables of the ready Worker: a model grades what words are unsure about, and nothing else. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { callGate, ingest } from '../../packages/cli/src/gate-client.ts'
import { HANDBOOK, MIDDLING, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'
import { asksForGrades, type CountingModel, startCountingModel } from './counting-model.ts'

const BOUNDS = { RERANK_FROM: '0.2', RERANK_BELOW: '0.9' }
/** Half in the handbook's words as well, and nothing answers it. */
const UNANSWERED = 'Which laptops report receipts?'

let model: CountingModel
let gate: BundledGate
/** Whether what the model writes can be read as grades. */
let readable = true
const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-cascade-'))

beforeAll(async () => {
  model = await startCountingModel((passage, question) => {
    if (!readable) return NaN
    return question.includes('backups') && passage.includes('approval of two engineers') ? 3 : 0
  })
  gate = await startBundledGate({
    stateDirectory,
    vars: { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'k', LLM_MODEL: 'counting-1', RERANKER: 'llm', ...BOUNDS },
  })
  await ingest(gate.url, gate.adminToken, HANDBOOK)
  await callGate(address(), 'PUT', '/v1/policy', { policy: 'balanced-graded' })
})

afterAll(async () => {
  await gate?.stop()
  await model?.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
})

beforeEach(() => {
  model.calls.length = 0
})

const address = () => ({ url: gate.url, key: gate.adminToken })

interface Recorded {
  readonly verdict: string
  readonly reranker: string
  readonly confidence: number
}

/** Asks, and reads what is on record of it. */
async function asked(question: string) {
  const { decision_id: id } = await callGate<{ decision_id: string }>(address(), 'POST', '/ask', { question })
  const record = await callGate<Recorded>(address(), 'GET', `/v1/decisions/${id}`)
  return { ...record, grading: model.calls.filter(asksForGrades).length }
}

describe('with RERANK_FROM and RERANK_BELOW', () => {
  test.each([
    ['answers a question by words alone above the bounds', STRONG, 'pass', 'spared', 0.9, 1],
    ['refuses a question by words alone below the bounds', OFF_TOPIC, 'refuse', 'spared', 0, 0.2],
    ['answers a question within the bounds when a passage gets a good grade', MIDDLING, 'pass', 'ok', 0.2, 0.9],
    ['refuses a question within the bounds when no passage gets a good grade', UNANSWERED, 'refuse', 'ok', 0.2, 0.9],
  ])('%s', async (_name, question, verdict, reranker, from, below) => {
    const found = await asked(question)
    expect(found).toMatchObject({ verdict, reranker, grading: reranker === 'ok' ? 1 : 0 })
    expect(found.confidence).toBeGreaterThanOrEqual(from)
    expect(found.confidence).toBeLessThan(below)
  })

  test('judges by words when the grading model fails', async () => {
    readable = false
    const found = await asked('Which regions keep nightly backups?')
    expect(found).toMatchObject({ reranker: 'failed', grading: 1 })
    expect(found.confidence).toBeLessThan(0.9)
    expect(found.verdict).toBe(found.confidence >= 0.55 ? 'advise' : 'refuse')
  })
})
