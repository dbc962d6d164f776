/** A real Worker with documents, and a real model endpoint that counts calls. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { HANDBOOK } from '../fixtures/corpus.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'
import { type CountingModel, startCountingModel } from './counting-model.ts'

export interface GateWithModel {
  readonly gate: BundledGate
  readonly model: CountingModel
}

/**
 * Starts both before the tests of a file, and stops them afterwards. The model answers, and its calls are counted anew,
 * from the beginning of each test.
 */
export function gateWithModel(vars: Readonly<Record<string, string>> = {}): GateWithModel {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-e2e-'))
  let gate: BundledGate | undefined
  let model: CountingModel | undefined

  beforeAll(async () => {
    model = await startCountingModel()
    const named = { LLM_BASE_URL: model.baseUrl, LLM_API_KEY: 'model-key', LLM_MODEL: 'counting-1' }
    gate = await startBundledGate({ stateDirectory, vars: { ...named, ...vars } })
    await ingest(gate.url, gate.adminToken, HANDBOOK)
  })

  beforeEach(() => {
    if (model === undefined) return
    model.calls.length = 0
    model.behave('answer')
  })

  afterAll(async () => {
    await gate?.stop()
    await model?.stop()
    rmSync(stateDirectory, { recursive: true, force: true })
  })

  return {
    get gate() {
      return gate ?? neverStarted()
    },
    get model() {
      return model ?? neverStarted()
    },
  }
}

function neverStarted(): never {
  throw new Error('The Worker and the model start before the first test')
}
