/** Reads all rows of an index in pages: Upstash Vector by `range`, Vectorize by Cloudflare's REST API. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { IndexRow } from '@hono-rag-gate/upstream/rows'
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError } from './command-error.ts'

/** A page of rows. */
export interface RowPage {
  readonly rows: readonly IndexRow[]
  /** Number of rows in the namespace, or in the whole index if it reports no more. */
  readonly total: number
}

/** An Upstash index, or one with its protocol. */
export interface UpstashAddress {
  readonly url: string
  readonly token: string
  /** `''` for the default namespace. */
  readonly namespace: string
}

/** A Vectorize index. */
export interface VectorizeAddress {
  readonly index: string
  readonly account: string
  readonly token: string
  /** `''` for the vectors of all namespaces. */
  readonly namespace: string
  /** Cloudflare's own, except in tests. */
  readonly apiUrl: string
}

/** Maximum page size of both services. */
const PAGE = 1000
/** Maximum number of ids per read of Vectorize. */
const READ_IDS = 20
const TRIES = 5

/**
 * Reads a namespace in insertion order.
 *
 * @throws `CommandError` if the namespace is empty, or the index rejects the request
 */
export async function* upstashRows(where: UpstashAddress): AsyncGenerator<RowPage> {
  const { namespace } = where
  const { namespaces } = await upstashInfo(where)
  const counts = new Map(
    Object.entries(isRecord(namespaces) ? namespaces : {}).map(([name, own]) => [
      name,
      Number(isRecord(own) ? own['vectorCount'] : 0),
    ]),
  )
  const total = counts.get(namespace) ?? 0
  if (total === 0) {
    const filled = [...counts].filter(([, count]) => count > 0).map(([name, count]) => `"${name}" (${count})`)
    throw new CommandError(
      `The namespace "${namespace}" of the index is empty. ` +
        (filled.length === 0 ? 'So are all others.' : `Not empty, for --namespace: ${filled.slice(0, 10).join(', ')}`),
    )
  }
  const command = namespace === '' ? 'range' : `range/${encodeURIComponent(namespace)}`
  for (let cursor: unknown = '0'; cursor !== '';) {
    const page = await send(where, command, { cursor, limit: PAGE, includeData: true, includeMetadata: true })
    const { vectors, nextCursor } = page
    // An unchanged cursor would loop for ever.
    if (!Array.isArray(vectors) || typeof nextCursor !== 'string' || nextCursor === cursor) {
      throw new CommandError(`${where.url} does not respond like an Upstash index`)
    }
    yield { rows: vectors.map(rowOf), total }
    cursor = nextCursor
  }
}

/** The index's `info`: parts, and number of rows by namespace. @throws `CommandError` if it is rejected */
export async function upstashInfo(where: UpstashAddress): Promise<Readonly<Record<string, unknown>>> {
  return send(where, 'info', [])
}

async function send(
  { url, token }: UpstashAddress,
  command: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const base = url.replace(/\/+$/, '')
  const result = await call(`${base}/${command}`, { method: 'POST', body: JSON.stringify(body) }, token)
  if (isRecord(result)) return result
  throw new CommandError(`${base} does not respond like an Upstash index`)
}

/**
 * Reads an index as of the start of the listing.
 *
 * @throws `CommandError` if the index is empty, or the API rejects the request
 * @see https://developers.cloudflare.com/vectorize/best-practices/list-vectors/
 */
export async function* vectorizeRows({
  index,
  account,
  token,
  namespace,
  apiUrl,
}: VectorizeAddress): AsyncGenerator<RowPage> {
  const names = [account, index].map(encodeURIComponent)
  const base = `${apiUrl.replace(/\/+$/, '')}/accounts/${names[0]}/vectorize/v2/indexes/${names[1]}`
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ count: String(PAGE), ...(cursor !== undefined && { cursor }) })
    const page = await call(`${base}/list?${query}`, { method: 'GET' }, token)
    if (!isRecord(page) || !Array.isArray(page['vectors']))
      throw new CommandError('Vectorize returned no list of vectors')
    const ids = page['vectors'].map((vector: unknown) => (isRecord(vector) ? String(vector['id']) : ''))
    const total = Number(page['totalCount'])
    if (total === 0) throw new CommandError(`The index ${index} is empty`)
    const rows: IndexRow[] = []
    for (let at = 0; at < ids.length; at += READ_IDS) {
      const body = JSON.stringify({ ids: ids.slice(at, at + READ_IDS) })
      const read = await call(`${base}/get_by_ids`, { method: 'POST', body }, token)
      if (!Array.isArray(read)) throw new CommandError('Vectorize returned no vectors for ids that it listed')
      const wanted = read.filter(
        (row: unknown) => namespace === '' || (isRecord(row) && row['namespace'] === namespace),
      )
      rows.push(...wanted.map(rowOf))
    }
    yield { rows, total }
    const { isTruncated, nextCursor } = page
    if (isTruncated === true && typeof nextCursor !== 'string') {
      throw new CommandError('Vectorize gave no cursor for the remaining vectors: run the command again')
    }
    cursor = isTruncated === true ? String(nextCursor) : undefined
  } while (cursor !== undefined)
}

function rowOf(row: unknown): IndexRow {
  const { id, data, metadata } = isRecord(row) ? row : {}
  return {
    id: String(id),
    ...(typeof data === 'string' && { data }),
    metadata: isRecord(metadata) ? metadata : {},
  }
}

/**
 * The `result` of a call. Network errors, 429 and 5xx are retried four times, after a pause that doubles from half a
 * second.
 *
 * @throws `CommandError` with the service's error message
 */
async function call(url: string, init: { method: string; body?: string }, token: string): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const { result, problem, again } = await callOnce(url, init, token)
    if (problem === undefined) return result
    if (!again || attempt === TRIES) throw new CommandError(`${new URL(url).host}: ${problem}`)
    await sleep(250 * 2 ** attempt)
  }
}

interface Answer {
  readonly result?: unknown
  readonly problem?: string
  readonly again?: boolean
}

async function callOnce(url: string, init: { method: string; body?: string }, token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...init, headers, redirect: 'manual' })
    text = await response.text()
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown), again: true }
  }
  const again = response.status === 429 || response.status >= 500
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return { problem: `status ${response.status}, not JSON`, again }
  }
  if (response.ok && isRecord(body) && body['result'] !== undefined) return { result: body['result'] }
  return { problem: `status ${response.status}${refusalIn(body) || ', not a response of an index'}`, again }
}

/** The error message: Upstash sends `error`, Cloudflare `errors` with messages. */
function refusalIn(body: unknown): string {
  const { error, errors } = isRecord(body) ? body : {}
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const message = isRecord(first) ? first['message'] : error
  return typeof message === 'string' ? `, ${message}` : ''
}
