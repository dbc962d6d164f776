/**
 * Tools for agents: a search, and the confidence of its results, in the shapes of the weighted-signals specification.
 * Each call is judged and recorded like a question.
 */
import {
  citationsWithWarning,
  confidenceRecord,
  recommend,
  recordsRetrieval,
} from '@hono-rag-gate/presets/weighted-signals'
import { callable, oncePer, requireOptions } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import {
  checkCollectionId,
  type GatedQuestion,
  gateWithoutHttp,
  type GateWithoutHttpOptions,
  withoutOwnTenant,
} from 'hono-rag-gate/middleware'
import type { Authenticate, Principal, Retriever } from 'hono-rag-gate/ports'
import { MOST_CHUNKS, MOST_PASSAGES, TOOLS } from './tool-descriptions.ts'

/** Error codes in addition to the gate's. */
export type ToolErrorCode = 'not_found' | 'parameter'

/** Settings of `createAgentTools`: those of the gate without HTTP, and authentication. */
export interface AgentToolsOptions extends GateWithoutHttpOptions {
  /** @default everyone may search, as the anonymous principal of the tenant `default` */
  readonly authenticate?: Authenticate
  /**
   * Describes the cost of a call, such as `This message: $0.0162`; shown to operators in `metadata.cost`.
   *
   * @default not shown
   */
  readonly costLine?: (retrievals: number) => string | undefined
}

/** The caller of a tool. */
export interface Caller {
  readonly principal: Principal
  /** Runs work after the result is sent, such as recording. */
  readonly later: (work: () => Promise<void> | undefined) => void
}

/** The result of a tool. */
export interface ToolResult {
  readonly success: true
  readonly data: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly citations?: readonly string[]
}

/** The tools, for the HTTP endpoints and for other servers. */
export interface AgentTools {
  readonly authenticate: Authenticate | undefined
  /**
   * Calls a tool.
   *
   * @throws `not_found` for a name not in `TOOLS`; `parameter` with the invalid argument in `param`; and the gate's
   *   errors
   */
  call(name: string, given: Readonly<Record<string, unknown>>, caller: Caller): Promise<ToolResult>
}

type Ask = ReturnType<typeof gateWithoutHttp>
type Given = Readonly<Record<string, unknown>>

/**
 * Makes the tools. A refused search returns no passages, because they are too weak to answer from. The public sees
 * bands and sentences, operators all numbers.
 *
 * @throws `config_invalid`, `policy_invalid` for options that are out of range
 */
export function createAgentTools(given: AgentToolsOptions): AgentTools {
  // Untyped callers may pass nothing; the gate then throws.
  const { authenticate, costLine, ...options } = given ?? {}
  const own: { authenticate?: unknown; costLine?: unknown } = { authenticate, costLine }
  requireOptions(own, { authenticate: callable, costLine: callable })
  // Checks them as they were given.
  gateWithoutHttp(options)
  const { policy, dependencies, retrieval } = options
  // Shared with `ragGate`, dependencies may hold it; ignored, everyone could search.
  if ('authenticate' in dependencies) {
    const param = 'dependencies.authenticate'
    throw new RagGateError('config_invalid', `${param} is not read here: give authenticate itself`, { param })
  }
  /** Passages that a search may return, and that can be assessed. */
  const most = retrieval?.topK ?? MOST_PASSAGES
  // Memoised, because the gate checks each policy object once.
  const recording = oncePer(recordsRetrieval)
  const gating: GateWithoutHttpOptions = {
    route: '/mcp',
    ...options,
    retrieval: { ...retrieval, topK: most },
    policy: typeof policy === 'function' ? (...asked) => recording(policy(...asked)) : recording(policy),
  }
  /** Gates by number of passages, because the judged passages are those returned. A gate remembers the stems of words. */
  const gates = new Map<number, Ask>()
  function searchOf(k: number): Ask {
    const topK = Math.min(k, most)
    const search = gates.get(topK) ?? gateWithoutHttp({ ...gating, retrieval: { ...retrieval, topK } })
    gates.set(topK, search)
    return search
  }

  async function judged(ask: Ask, given: Given, { principal, later }: Caller): Promise<GatedQuestion> {
    const { query, collection } = given
    if (typeof query !== 'string') throw wrongArgument('query', 'a text')
    const place = collection === undefined ? {} : { collection: checkCollectionId(collection) }
    const gated = await ask({ question: query, principal, ...place })
    later(() => gated.record())
    return gated
  }

  /** Fields that both tools report about a decision. */
  function told({ decision, policy: judging, refusal, gate, retrievals }: GatedQuestion, { principal }: Caller) {
    const isOperator = principal.scopes.includes('admin')
    const record = confidenceRecord(decision, judging.confidence.settings as { readonly consensusFrom?: number })
    const { interpretation, should_flag_for_review } = record
    const { detail: _, ...summary } = gate.summary
    const cost = isOperator ? costLine?.(retrievals) : undefined
    return {
      record: isOperator ? record : { interpretation, should_flag_for_review },
      about: {
        ...summary,
        ...(refusal === undefined
          ? { refused: false }
          : { refused: true, refusal_reason: refusal.refusal_reason, suggestions: refusal.suggestions }),
        ...(cost && { cost }),
      },
    }
  }

  return {
    authenticate,
    async call(name, given, caller) {
      const { inputSchema } = TOOLS.find((tool) => tool.name === name) ?? {}
      if (inputSchema === undefined) throw new RagGateError<ToolErrorCode>('not_found', 'There is no such tool')
      for (const argument of Object.keys(withoutOwnTenant(given, caller.principal.tenant))) {
        if (!Object.hasOwn(inputSchema.properties, argument)) throw wrongArgument(argument, 'left out')
      }
      if (name === 'search') {
        const { k = 5 } = given
        if (typeof k !== 'number' || !Number.isInteger(k) || k < 1 || k > MOST_PASSAGES) {
          throw wrongArgument('k', `a whole number from 1 to ${MOST_PASSAGES}`)
        }
        const gated = await judged(searchOf(k), given, caller)
        const { record, about } = told(gated, caller)
        const { context } = gated.gate
        const found = gated.refusal === undefined ? gated.gate.citations : []
        const citations = found.map(
          ({ number, document_id, section }) =>
            `[${number}] ${document_id}${section === undefined ? '' : `: ${section}`}`,
        )
        return {
          success: true,
          data: found.map(({ number, id, ...place }) => ({
            chunk_id: id,
            ...place,
            text: context.chunks[number - 1]!.text,
          })),
          citations: citationsWithWarning(citations, { overall_confidence: 0, ...record }),
          metadata: { rag_confidence: record, ...about },
        }
      }
      const ids = idsIn(given)
      const only = { ...dependencies, retriever: among(dependencies.retriever, ids) }
      const gated = await judged(gateWithoutHttp({ ...gating, dependencies: only }), given, caller)
      const { record, about } = told(gated, caller)
      const recommendations = recommend(gated.decision).map(({ text }) => text)
      return {
        success: true,
        data: { ...record, recommendations },
        metadata: { recommendations, ...about },
      }
    },
  }
}

function idsIn({ chunk_ids: ids }: Given): ReadonlySet<string> {
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= MOST_CHUNKS
  if (!isList || !ids.every((id) => typeof id === 'string')) {
    throw wrongArgument('chunk_ids', `a list of 1 to ${MOST_CHUNKS} ids`)
  }
  return new Set(ids)
}

/** Restricts a retriever to these chunks: scores depend on the question, so they are obtained by searching. */
function among(retriever: Retriever, ids: ReadonlySet<string>): Retriever {
  return {
    ...retriever,
    async retrieve(request) {
      const rankings = await retriever.retrieve(request)
      return rankings.map(({ kind, entries }) => ({
        kind,
        entries: entries.filter(({ passage }) => ids.has(passage.id)),
      }))
    },
  }
}

function wrongArgument(param: string, words: string): RagGateError<ToolErrorCode> {
  return new RagGateError<ToolErrorCode>('parameter', `${param} must be ${words}`, { param })
}
