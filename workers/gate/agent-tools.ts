/** `/mcp` and `/v1/tools`: search and assessment tools for agents, with the deployment's settings. */
import { type AgentTools, createAgentTools } from '@hono-rag-gate/mcp'
import { oncePer } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { costLine } from './ask/cost-line.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { pricesOf } from './statistics/savings-ledger.ts'

/** Makes the tools once per bindings object, like the composition. */
export const agentToolsFor: (env: GateBindings) => AgentTools = oncePer(toolsOf)

function toolsOf(env: GateBindings): AgentTools {
  const { gate, judging } = compositionFor(env)
  // These tools call no model, so a refused search saves no model call.
  const { authenticate, cache: _, savings: __, ...dependencies } = gate
  if (authenticate === undefined) throw new RagGateError('internal', 'authenticate is missing')
  const prices = pricesOf(env)
  return createAgentTools({
    ...judging,
    authenticate,
    dependencies,
    question: { collections: 'any' },
    ...(prices && { costLine: (retrievals: number) => costLine(prices, retrievals) }),
  })
}
