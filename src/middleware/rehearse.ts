/** Two requests that are handled before the first one comes, so that what handles it is compiled by then. */
import type { Context } from 'hono'
import type { Ranking } from '../core/evidence/chunk.ts'
import type { Policy } from '../core/policy/policy.ts'
import { checkOptions } from './check-options.ts'
import { resolveDependencies } from './dependencies.ts'
import type { RagGateEnv } from './gate-context.ts'
import { handleRequest } from './handle-request.ts'

/** The first is answered, the second refused. */
const QUESTIONS = [
  'How long are strong answers kept, and what happens to a question that nothing supports?',
  'Which planet has the most moons?',
]
const TEXT = `## Answers

Strong answers are kept for 6 to 24 hours. A question that no passage supports is refused, e.g. (see below):

- one about another product.`

/** Done once: what is compiled is so for the whole isolate, whoever asked for it. */
let rehearsal: Promise<readonly boolean[]> | undefined

/**
 * Handles two requests of its own, once in an isolate: a first one takes many times as long as later ones, since no
 * function of the gate is compiled. Where it is called while a Worker starts, no request waits for that. It does nothing
 * that a Worker must not do then: it waits for nothing, sets no timer, draws no random number and makes no body.
 *
 * @returns whether each was answered
 */
export function rehearse(policy: Policy): Promise<readonly boolean[]> {
  return (rehearsal ??= handleAll(policy))
}

async function handleAll(policy: Policy): Promise<readonly boolean[]> {
  const entries = [...'0123456789'].map((id) => ({
    passage: { id, documentId: id, title: 'Answers', text: `${TEXT}\n\n${id}` },
    score: 1 - Number(id) / 20,
  }))
  const rankings: readonly Ranking[] = [
    { kind: 'cosine', entries },
    { kind: 'bm25', entries },
  ]
  const given = { retriever: { retrieve: async () => rankings } }
  const settings = checkOptions({ dependencies: given, policy, onWarning: () => undefined })
  const dependencies = { ...resolveDependencies(given, settings), newId: () => '' }
  const answered: boolean[] = []
  for (const question of QUESTIONS) {
    const response = await handleRequest(contextOf(question), async () => undefined, settings, dependencies)
    answered.push(response === undefined)
  }
  return answered
}

/** What the gate uses of a context, its body read already, its responses without one. */
function contextOf(question: string): Context<RagGateEnv> {
  const raw = { headers: new Headers({ 'content-type': 'application/json' }), bodyUsed: true }
  const arrayBuffer = async (): Promise<Uint8Array> => new TextEncoder().encode(JSON.stringify({ question }))
  const context = {
    req: { raw, method: 'POST', routePath: '', arrayBuffer },
    var: {},
    set: () => undefined,
    body: () => new Response(null),
    newResponse: () => new Response(null),
    res: new Response(null),
  }
  return context as unknown as Context<RagGateEnv>
}
