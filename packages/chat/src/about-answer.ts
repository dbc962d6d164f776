/** What a client receives about an answer besides its text. */
import { CAUTION_FOR_READER } from 'hono-rag-gate/core/reports'
import type { RagGateContext } from 'hono-rag-gate/middleware'

/** What a client receives about an answer or a refusal besides its text. */
export interface AboutAnswer {
  readonly decision_id: string
  /** Present only if the model did not finish. */
  readonly complete?: false
  readonly [member: string]: unknown
}

/** About an answer that the gate accepted. */
export function aboutAnswer({
  citations,
  caution,
  summary,
}: Pick<RagGateContext, 'summary' | 'citations' | 'caution'>): AboutAnswer {
  return {
    sources: citations,
    refused: false,
    ...(caution && { caution: CAUTION_FOR_READER }),
    ...summary,
  }
}

const ITEM = /^(pass|advise|refuse);band=([\w-]+);reason=([^;]+);policy="[^"]*";id="([^"]+)"(.*)/

/** Parses the header `RAG-Gate`, the only source of these facts for a refusal or a stored answer. */
export function aboutInHeader(field: string | null): AboutAnswer | undefined {
  const [, verdict, band, reason, id, more] = ITEM.exec(field ?? '') ?? []
  if (id === undefined) return undefined
  return {
    refused: verdict === 'refuse' && !more?.includes('mode=observe'),
    ...(verdict === 'advise' && { caution: CAUTION_FOR_READER }),
    decision_id: id,
    verdict,
    band,
    reason_code: reason,
  }
}
