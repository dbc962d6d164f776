/** Talks to a gate over HTTP, as any client would. */

/** An answer or refusal as `POST /ask` sends it. */
export interface AskReply {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly answer: string
    readonly refused: boolean
    readonly verdict: 'pass' | 'advise' | 'refuse'
    readonly band: string
    readonly reason_code: string
    readonly refusal_reason?: string
    readonly sources: readonly { readonly number: number; readonly document_id: string; readonly section?: string }[]
    readonly detail?: {
      readonly confidence: number
      readonly chunks: readonly { readonly document_id: string; readonly scores: Readonly<Record<string, number>> }[]
    }
  }
}

/** A document as `POST /v1/documents` takes it. */
export interface GateDocument {
  readonly id: string
  readonly text: string
  readonly title?: string
  readonly source?: string
  readonly format?: 'markdown' | 'text'
}

/** What `POST /v1/documents` answers. */
export interface IngestReply {
  readonly corpus_version: number
  readonly documents: readonly {
    readonly id: string
    readonly status: string
    readonly chunks: number
    readonly chunks_written: number
  }[]
}

export async function ask(
  url: string,
  question: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<AskReply> {
  const response = await fetch(`${url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question, ...fields }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as AskReply['body'] }
}

export async function ingest(
  url: string,
  token: string,
  documents: readonly GateDocument[],
  collection = 'default',
): Promise<IngestReply> {
  const response = await fetch(`${url}/v1/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ collection, documents }),
  })
  if (!response.ok) throw new Error(`Ingestion answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as IngestReply
}

export async function statistics<Summary>(url: string, token: string): Promise<Summary> {
  const response = await fetch(`${url}/v1/stats`, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok) throw new Error(`Statistics answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Summary
}
