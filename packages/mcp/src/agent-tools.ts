/**
 * A search that agents call, and the confidence of what it found, in the shapes of the specification of weighted-signals.
 * Each call is judged and recorded as a question is.
 */
import {
  citationsWithWarning,
  confidenceRecord,
  recommend,
  recordsRetrieval,
} from '@hono-rag-gate/presets/weighted-signals'
import { oncePer } from 'hono-rag-gate/core/lib'
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

/** Codes beside those of the gate. */
export type ToolErrorCode = 'not_found' | 'parameter'

/** Settings of `createAgentTools`: those of the gate without its HTTP, and who may call. */
export interface AgentToolsOptions extends GateWithoutHttpOptions {
  /** @default everyone may search, as the anonymous principal of the tenant `default` */
  readonly authenticate?: Authenticate
  /**
   * What a call costs, in words such as `This message: $0.0162`, told to operators in `metadata.cost`.
   *
   * @default not told
   */
  readonly costLine?: (retrievals: number) => string | undefined
}

/** Who calls. */
export interface Caller {
  readonly principal: Principal
  /** Has work done that the result does not wait for, and that cannot harm it. */
  readonly later: (work: () => Promise<void> | undefined) => void
}

/** What a tool answers. */
export interface ToolResult {
  readonly success: true
  readonly data: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly citations?: readonly string[]
}

/** The tools, for the endpoints and for servers of one's own. */
export interface AgentTools {
  readonly authenticate: Authenticate | undefined
  /**
   * Calls a tool.
   *
   * @throws `not_found` for a name that is none of `TOOLS`; `parameter` with the argument at fault in `param`; what the
   *   gate does
   */
  call(name: string, given: Readonly<Record<string, unknown>>, caller: Caller): Promise<ToolResult>
}

type Ask = ReturnType<typeof gateWithoutHttp>
type Given = Readonly<Record<string, unknown>>

/**
 * Makes the tools. A refused search returns no passages: what is too weak to answer from is given to no agent. The public
 * reads bands and sentences, operators every figure.
 *
 * @throws `config_invalid`, `policy_invalid` for options that are out of range
 */
export function createAgentTools(given: AgentToolsOptions): AgentTools {
  // A caller without types may give nothing, or no policy: the gate says so.
  const { authenticate, costLine, ...options } = given ?? {}
  const { policy, dependencies } = options
  // A gate checks each policy object once.
  const recording = oncePer(recordsRetrieval)
  const gating: GateWithoutHttpOptions = {
    route: '/mcp',
    ...options,
    policy: typeof policy === 'function' ? (...asked) => recording(policy(...asked)) : policy && recording(policy),
  }
  const { retrieval } = gating
  const most = retrieval?.topK
  /** By how many passages each judges: no others are returned. The first says what is wrong with the options. */
  const gates = new Map([[most, gateWithoutHttp(gating)]])
  function searchOf(k: number): Ask {
    const topK = most !== undefined && most < k ? most : k
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

  /** What both say of a decision. */
  function told({ decision, policy: judging, refusal, gate, retrievals }: GatedQuestion, { principal }: Caller) {
    const isOperator = principal.scopes.includes('admin')
    const { consensusFrom } = judging.confidence.settings as { readonly consensusFrom?: number }
    const record = confidenceRecord(decision, consensusFrom === undefined ? {} : { consensusFrom })
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
        ...(cost === undefined ? {} : { cost }),
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

/** Finds what the other finds, of these chunks alone: scores belong to a question, and are had by asking it. */
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
