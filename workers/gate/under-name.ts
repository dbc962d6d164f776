/** What is wrong with a variable of the deployment, by the name it is set under. */
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from './bindings.ts'

/**
 * Makes a part of one variable. The part's error would name its own option; this one names the variable.
 *
 * @throws what `make` throws, with the variable as `param`
 */
export function underName<Part>(name: keyof GateBindings, make: () => Part): Part {
  try {
    return make()
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    throw new RagGateError(thrown.code, thrown.message, { cause: thrown.cause, param: name })
  }
}
