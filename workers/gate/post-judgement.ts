/** `POST /v1/judgements`: how a question would be judged. No model is called, and nothing is kept or counted. */
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
/** Further passages that are asked for: as many of the best may be left out and still be made up for. */
const SPARE = 100

/** Judges `{"question", "collection", "without"}`, for operators, as if the passages and documents of `without` were not there. */
export async function postJudgement(c: Context<RagGateEnv<GateBindings>>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const { retriever, collections, reranker, clock } = composition.gate
  const without = await readWithout(c)
  // `observe`: the handler below answers with every verdict.
  const gate = ragGate<GateBindings>({
    ...composition.judging,
    dependencies: {
      retriever: leavingOut(retriever, without),
      ...(collections && { collections }),
      ...(reranker && { reranker }),
      ...(clock && { clock }),
      // Who may judge need not be one who may ask.
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
