/** Calls a generator under a deadline, and validates the result. */
import { RagGateError } from 'hono-rag-gate/errors'
import { type Faults, withinDeadline } from 'hono-rag-gate/pipeline'
import type { Generation, GenerationRequest, Generator } from '../generator.ts'

const MODEL_FAULTS: Faults = { late: 'llm_timeout', failed: 'llm_unavailable', what: 'The model' }

/** @throws what the generator throws; `llm_timeout`, `llm_unavailable`; `llm_bad_response` for a result without text */
export async function generated(
  generator: Generator,
  request: Omit<GenerationRequest, 'signal'>,
  timeoutMs = 30_000,
): Promise<Generation> {
  return withinDeadline(timeoutMs, MODEL_FAULTS, async (signal) => {
    const generation = await generator.generate({ ...request, signal })
    if (typeof generation?.text === 'string') return generation
    throw new RagGateError('llm_bad_response', 'The generator gave no text')
  })
}
