/** Checks whether a gate answers, and its prerequisites: tables, scores, scale, and the pins of its policies. */
import { GateFailure } from '../command-error.ts'
import { ask, type AskReply, callGate, COLLECTIONS, failureOf, type GateAddress, requireForm } from '../gate-client.ts'
import { type Collections, driftOf, type PolicyList } from '../policy.ts'
import { saidBy } from './check-index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Remedies for errors of a gate, by code. */
const TODO: Readonly<Record<string, string>> = {
  schema_outdated: 'apply the migrations: npx wrangler d1 migrations apply <binding> --local, or --remote',
  collection_not_found: 'put documents in, or name another with --collection',
  unauthorized: 'put a key into RAG_GATE_KEY',
  forbidden: 'the key needs the scopes ask and admin',
  config_invalid: 'an option of the gate is wrong: its message names it',
  retriever_misconfigured: 'the index is another one than the retriever is set up for: see the checks of the index',
  retriever_unavailable: 'the index does not answer: check its address and its token',
  retriever_timeout: 'the index is slow: check where it is, or raise timeoutMs of the retriever',
  retriever_bad_response: 'the index sends what cannot be read: say where rows keep texts with `fields`',
  embedding_mismatch: 'index and collection have other embeddings: ingest everything anew, into a new collection',
  rate_limited: 'wait, or raise the limit of requests',
}

/** An error without a code does not come from a gate. */
const todoOf = (code: string): string =>
  TODO[code] ?? (code === '' ? 'mount the gate there: rag-gate init' : 'see docs/reference/http-api.md#errors')

/**
 * Asks a question like a client, and reads the gate's details for operators.
 *
 * @param indexDimension of the index in the project's settings, if there is one
 */
export async function checkGate(
  gate: GateAddress,
  question: string,
  collection: string | undefined,
  indexDimension?: number,
): Promise<readonly Finding[]> {
  let reply: AskReply
  try {
    reply = await ask(gate, question, collection === undefined ? {} : { collection })
    requireForm(reply.body, { 'detail?': { chunks: [{ scores: 'object' }] } })
  } catch (thrown) {
    return [problem('gate', saidBy(thrown), 'start it (a Worker by npx wrangler dev), or say where it is with --url')]
  }
  const told = reply.headers.get('rag-gate')
  if (told === null) {
    const failure = failureOf(reply.status, JSON.stringify(reply.body))
    const code = failure instanceof GateFailure ? failure.code : ''
    return [problem('gate', `POST /ask: ${failure.message}`, todoOf(code))]
  }
  return [
    ok('gate', `POST /ask answers: ${told.split(';').slice(0, 4).join(', ')}`),
    ...scores(reply.body.detail),
    scale(told, reply.body.detail),
    ...(await checkCollections(gate, indexDimension)),
  ]
}

function scores(detail: AskReply['body']['detail']): readonly Finding[] {
  if (detail === undefined || detail.chunks.length === 0) return []
  const kinds = [...new Set(detail.chunks.flatMap((chunk) => Object.keys(chunk.scores)))]
  return [ok('score kinds', `passages come with ${kinds.join(', ')}`)]
}

function scale(
  told: string,
  detail: (AskReply['body']['detail'] & { readonly scale?: { readonly stale?: true } }) | undefined,
): Finding {
  const basis = /calibration=(\w+)/.exec(told)?.[1]
  if (detail?.scale?.stale === true) {
    return warning(
      'scale',
      'the documents have changed since it was learned',
      'learn it again: rag-gate scale, or ingest',
    )
  }
  if (basis !== 'uncalibrated') return ok('scale', `confidence is ${basis ?? 'the policy’s own'}`)
  const todo =
    'rag-gate scale learns over an Upstash index, the ready Worker by itself; rag-gate calibrate from labelled questions'
  return warning('scale', 'confidence is not calibrated for this collection', todo)
}

/** Only for the ready Worker, with a key; other apps lack these routes. */
async function checkCollections(gate: GateAddress, indexDimension: number | undefined): Promise<readonly Finding[]> {
  if (gate.key === undefined) return []
  let listed: PolicyList
  let collections: Collections['collections']
  try {
    const held = await callGate<Collections>(gate, 'GET', '/v1/collections', undefined, 'once')
    ;({ collections } = requireForm(held, COLLECTIONS))
    listed = await callGate<PolicyList>(gate, 'GET', '/v1/policies/pushed', undefined, 'once')
    requireForm(listed, { policies: [{ id: 'string', pin: 'object|null' }] })
  } catch (thrown) {
    const text = saidBy(thrown)
    if (!(thrown instanceof GateFailure) || thrown.code === 'not_found') return []
    return [problem('collections', text, todoOf(thrown.code))]
  }
  if (collections.length === 0) {
    return [problem('collections', 'there is none', 'put documents in: rag-gate ingest <folder>')]
  }
  return collections.flatMap((each) => {
    const { id, dimension, embedding_model: model, lexicon_id: lexicon, policy } = each
    const pushed = listed.policies.find((known) => known.id === policy)
    const drifts = driftOf(pushed?.pin ?? null, [each])
    return [
      dimension === (indexDimension ?? dimension)
        ? ok('dimension', `${id}: ${dimension === 0 ? model : `${model}, ${dimension} dimensions`}`)
        : dimension === 0
          ? warning(
              'dimension',
              `${id} is in an index of words, not in the one above`,
              'if the gate is to search that one: ingest everything anew, into a new collection',
            )
          : problem(
              'dimension',
              `${id} was embedded with ${dimension} dimensions, and the index has ${indexDimension}`,
              todoOf('embedding_mismatch'),
            ),
      ...(lexicon === null
        ? [warning('lexicon', `${id} has none: every word counts alike`, `rag-gate ingest counts them; --prune afresh`)]
        : []),
      ...(pushed?.pin == null
        ? []
        : drifts.length === 0
          ? [ok('pins', `${id}: ${pushed.id} stands as calibrated`)]
          : []),
      ...drifts.map((drift) => problem('pins', `${policy}: ${drift}`, 'rag-gate calibrate, then rag-gate policy push')),
    ]
  })
}
