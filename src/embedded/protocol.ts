/**
 * The REST protocol of Upstash Vector over a store: a command, a namespace and a body in, a status and a body out.
 *
 * Where the service documents nothing, this is our choice: reading a namespace that does not exist finds nothing; GET
 * and DELETE are taken where the service's examples use them; unknown members of a body are ignored.
 *
 * @see https://upstash.com/docs/vector/api/get-started
 */
import { DIMENSION, embed, EMBEDDING_MODEL, termFrequencies } from './embedder.ts'
import * as field from './fields.ts'
import { notSupported, ProtocolError } from './protocol-error.ts'
import { answeredVectors, answerQueries, parseIncludes, type AnsweredRow, type Includes } from './query.ts'
import { float32Row, quantise } from './scan.ts'
import { passageVector } from './sparse.ts'
import type { VectorRow, VectorStore } from './store.ts'

/** A command as it came over HTTP. */
export interface ProtocolRequest {
  readonly method: string
  /** Path segments as they stand in the URL, still encoded; the first is the command, the rest the namespace. */
  readonly path: readonly string[]
  /** Query string without its question mark. */
  readonly search: string
  /** Parsed JSON; `undefined` when there was no body. */
  readonly body: unknown
}

/** What goes back. */
export interface ProtocolResponse {
  readonly status: number
  readonly body: { readonly result: unknown } | { readonly error: string; readonly status: number }
}

/** A command, carried out on a namespace. */
type Command = (store: VectorStore, request: ProtocolRequest, namespace: string) => unknown

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['upsert', (store, { body }, namespace) => upsert(store, namespace, body, parseVectorItem)],
  ['upsert-data', (store, { body }, namespace) => upsert(store, namespace, body, parseDataItem)],
  ['query', (store, { body }, namespace) => answerQueries(store, namespace, body, 'query')],
  ['query-data', (store, { body }, namespace) => answerQueries(store, namespace, body, 'query-data')],
  ['fetch', (store, { body }, namespace) => fetchRows(store, namespace, bodyFields(body))],
  ['range', (store, { body }, namespace) => rangeOfRows(store, namespace, bodyFields(body))],
  ['delete', (store, { body }, namespace) => deleteRows(store, namespace, body)],
  ['reset', reset],
  ['info', info],
  ['list-namespaces', (store) => store.namespaces().map(({ name }) => name)],
  ['delete-namespace', deleteNamespace],
])

/** Parts of the protocol that are known and still to come. */
const PLANNED: ReadonlySet<string> = new Set([
  'update',
  'resumable-query',
  'resumable-query-data',
  'resumable-query-next',
  'resumable-query-end',
  'random',
  'rename-namespace',
])

/** Methods beside POST, which every command takes. */
const OTHER_METHODS: ReadonlyMap<string, string> = new Map([
  ['info', 'GET'],
  ['list-namespaces', 'GET'],
  ['delete', 'DELETE'],
  ['reset', 'DELETE'],
  ['delete-namespace', 'DELETE'],
])

const PREFIX_LIMIT = 1000

/** Carries out a command. What the sender did wrong comes back as an error of the documented shape. */
export function answerCommand(store: VectorStore, request: ProtocolRequest): ProtocolResponse {
  try {
    const [name = '', ...rest] = request.path
    if (PLANNED.has(name)) throw notSupported(name)
    const command = COMMANDS.get(name)
    if (command === undefined) throw new ProtocolError(404, 'Not Found')
    if (request.method !== 'POST' && request.method !== OTHER_METHODS.get(name)) {
      throw new ProtocolError(405, 'Method Not Allowed')
    }
    return { status: 200, body: { result: command(store, request, decodeNamespace(rest)) } }
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return errorResponse(thrown)
    throw thrown
  }
}

/** An error in the shape that clients read. */
export function errorResponse({ status, message }: ProtocolError): ProtocolResponse {
  return { status, body: { error: message, status } }
}

/** The client does not encode namespaces, so what cannot be decoded stands for itself. */
function decodeNamespace(segments: readonly string[]): string {
  const encoded = segments.join('/')
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

function bodyFields(body: unknown): field.Fields {
  if (!field.isFields(body)) throw field.invalid('The body must be an object')
  return body
}

function upsert(
  store: VectorStore,
  namespace: string,
  body: unknown,
  parse: (item: field.Fields) => VectorRow,
): 'Success' {
  store.upsert(namespace, field.objects(body).map(parse))
  return 'Success'
}

/** A row whose vectors the index makes from its text. */
function parseDataItem(item: field.Fields): VectorRow {
  const id = field.id(item['id'])
  const data = field.data(item['data'])
  const metadata = field.metadata(item['metadata'])
  const frequencies = termFrequencies(data)
  if (frequencies.size > field.LIMITS.distinctTerms) {
    throw field.invalid(`data has more than ${field.LIMITS.distinctTerms} distinct terms`)
  }
  return {
    id,
    data,
    ...(metadata !== undefined && { metadata }),
    dense: quantise(embed(frequencies)),
    sparse: passageVector(frequencies),
  }
}

/** A row that brings both its vectors. */
function parseVectorItem(item: field.Fields): VectorRow {
  const id = field.id(item['id'])
  if (item['vector'] === undefined) throw field.invalid('This index requires dense vectors')
  if (item['sparseVector'] === undefined) throw field.invalid('This index requires sparse vectors')
  const metadata = field.metadata(item['metadata'])
  return {
    id,
    ...(item['data'] !== undefined && { data: field.data(item['data']) }),
    ...(metadata !== undefined && { metadata }),
    dense: float32Row(field.denseVector(item['vector'], DIMENSION)),
    sparse: field.sparseVector(item['sparseVector']),
  }
}

function fetchRows(store: VectorStore, namespace: string, fields: field.Fields): readonly (AnsweredRow | null)[] {
  const { ids, prefix } = fields
  if (ids !== undefined && prefix !== undefined) throw field.invalid('Only one of ids or prefix must be provided.')
  const includes = parseIncludes(fields)
  const rows =
    prefix === undefined
      ? store.fetch(namespace, field.ids(ids))
      : store.range(namespace, 0, PREFIX_LIMIT, field.prefix(prefix))
  return rows.map((row) => row && answeredRow(row, includes))
}

/** A page in insertion order; the cursor is the number of rows before it. */
function rangeOfRows(
  store: VectorStore,
  namespace: string,
  fields: field.Fields,
): { readonly nextCursor: string; readonly vectors: readonly AnsweredRow[] } {
  const offset = field.cursor(fields['cursor'])
  const limit = field.whole(fields['limit'], 'limit', { min: 1, max: field.LIMITS.itemsPerCommand })
  const prefix = field.prefix(fields['prefix'] ?? '')
  const includes = parseIncludes(fields)
  // One row more tells whether there is a next page, so that no page comes empty.
  const rows = store.range(namespace, offset, limit + 1, prefix)
  return {
    nextCursor: rows.length > limit ? String(offset + limit) : '',
    vectors: rows.slice(0, limit).map((row) => answeredRow(row, includes)),
  }
}

function answeredRow(row: VectorRow, includes: Includes): AnsweredRow {
  return {
    id: row.id,
    ...(includes.vectors && answeredVectors(row)),
    ...(includes.metadata && row.metadata !== undefined && { metadata: row.metadata }),
    ...(includes.data && row.data !== undefined && { data: row.data }),
  }
}

function deleteRows(store: VectorStore, namespace: string, body: unknown): { readonly deleted: number } {
  const { ids, prefix, filter } = Array.isArray(body) ? { ids: body as unknown } : bodyFields(body)
  const given = [ids, prefix, filter].filter((selection) => selection !== undefined)
  if (given.length !== 1) throw field.invalid('Only and only one of the ids, prefix, or filter must be provided.')
  if (filter !== undefined) throw notSupported('filter')
  const deleted =
    ids === undefined ? store.deletePrefix(namespace, field.prefix(prefix)) : store.delete(namespace, field.ids(ids))
  return { deleted }
}

function reset(store: VectorStore, { search }: ProtocolRequest, namespace: string): 'Success' {
  if (new Set(search.split('&')).has('all')) store.resetAll()
  else store.reset(namespace)
  return 'Success'
}

function deleteNamespace(store: VectorStore, _request: ProtocolRequest, namespace: string): 'Success' {
  if (namespace === '') throw field.invalid('The default namespace cannot be deleted')
  if (!store.deleteNamespace(namespace)) {
    throw new ProtocolError(404, `Namespace ${namespace} for the index does not exist`)
  }
  return 'Success'
}

/** Writes are visible at once, so nothing ever is pending. */
function info(store: VectorStore): unknown {
  const counts = store.namespaces()
  return {
    vectorCount: counts.reduce((sum, { vectorCount }) => sum + vectorCount, 0),
    pendingVectorCount: 0,
    indexSize: store.sizeBytes,
    dimension: DIMENSION,
    similarityFunction: 'COSINE',
    indexType: 'HYBRID',
    denseIndex: { dimension: DIMENSION, similarityFunction: 'COSINE', embeddingModel: EMBEDDING_MODEL },
    sparseIndex: { embeddingModel: 'BM25' },
    namespaces: Object.fromEntries(
      counts.map(({ name, vectorCount }) => [name, { vectorCount, pendingVectorCount: 0 }]),
    ),
  }
}
