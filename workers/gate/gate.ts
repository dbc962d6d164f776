/** The gate in front of `/ask`, with the settings of the deployment. */
import type { MiddlewareHandler } from 'hono'
import { ragGate, type RagGateEnv } from 'hono-rag-gate'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { policyFor } from './policies/policy-for.ts'

type Gate = MiddlewareHandler<RagGateEnv<GateBindings>>

const gates = new WeakMap<GateBindings, Gate>()

/** Judges the question before `answer` sees it. */
export const gate: Gate = (c, next) => gateFor(c.env)(c, next)

/** Made once for the bindings, as the composition is. */
function gateFor(env: GateBindings): Gate {
  const known = gates.get(env)
  if (known !== undefined) return known
  const { gate: dependencies, retrieval, reader, answer } = compositionFor(env)
  const made = ragGate<GateBindings>({
    dependencies: () => dependencies,
    policy: (_tenant, _collection, policyId, noted) => policyFor(policyId, noted, reader),
    question: { collections: 'any' },
    retrieval,
    answer,
    closestPassages: 3,
  })
  gates.set(env, made)
  return made
}
