/** `POST /v1/judgements`: judges a question without a model call, caching or recording. */
import { requireScope } from '@hono-rag-gate/console/http'
import type { Context } from 'hono'
import { ragGate, type RagGateEnv } from 'hono-rag-gate'
import { answerJudge } from 'hono-rag-gate/answers'
import { RagGateError } from 'hono-rag-gate/errors'
import { readJsonObject } from 'hono-rag-gate/middleware'
import type { Retriever } from 'hono-rag-gate/ports'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'
import { WorkerError } from './errors.ts'
import { leaveOut } from './leave-out.ts'

const LIMITS = { maxBytes: 65_536, timeoutMs: 10_000 }
const MEMBERS = ['question', 'collection', 'without']
const MOST_WITHOUT = 200
/** Additional passages to retrieve, to replace those left out. */
const SPARE = 100

/** Judges `{"question", "collection", "without"}`, as if the passages and documents in `without` did not exist. */
export async function postJudgement(c: Context<RagGateEnv<GateBindings>>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const { retriever, collections, reranker, clock } = composition.gate
  const without = await readWithout(c)
  // With `observe`, the handler below responds with every verdict.
  const gate = ragGate<GateBindings>({
    ...composition.judging,
    dependencies: {
      retriever: leavingOut(retriever, without),
      ...(collections && { collections }),
      ...(reranker && { reranker }),
      ...(clock && { clock }),
      // The scope `admin` suffices, even without `ask`.
      authenticate: () => ({ ...principal, scopes: ['ask', 'admin'] }),
    },
    mode: 'observe',
    question: { collections: 'any', otherFields: 'allow' },
    answer: { judge: answerJudge() },
  })
  const failed = await gate(c, async () => {
    c.res = c.json(c.var.ragGate.summary)
  })
  return failed ?? c.res
}

async function readWithout(c: Context<RagGateEnv<GateBindings>>): Promise<readonly string[]> {
  const body = await readJsonObject(c.req, LIMITS)
  if (Object.keys(body).some((name) => !MEMBERS.includes(name))) {
    throw new RagGateError('unknown_field', `The body may have only these members: ${MEMBERS.join(', ')}`)
  }
  const { without = [] } = body
  const isList = Array.isArray(without) && without.length <= MOST_WITHOUT
  if (isList && without.every((id) => typeof id === 'string')) return without
  throw new WorkerError('without', `without must be a list of at most ${MOST_WITHOUT} ids`, { param: 'without' })
}

function leavingOut(retriever: Retriever, without: readonly string[]): Retriever {
  if (without.length === 0) return retriever
  return {
    ...retriever,
    async retrieve(request) {
      const rankings = await retriever.retrieve({ ...request, topK: request.topK + SPARE })
      return leaveOut(rankings, without).map(({ kind, entries }) => ({ kind, entries: entries.slice(0, request.topK) }))
    },
  }
}
