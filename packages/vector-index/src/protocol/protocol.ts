/**
 * The REST protocol of Upstash Vector over an index: a command, a namespace and a body in, a status and a body out.
 *
 * What the service does not document and is therefore our choice is listed in docs/vector-index.md.
 *
 * @see https://upstash.com/docs/vector/api/get-started
 */
import type { Command, Elsewhere } from './commands/command.ts'
import { deleteRows } from './commands/delete.ts'
import { fetchRows } from './commands/fetch.ts'
import { info } from './commands/info.ts'
import { deleteNamespace, listNamespaces, renameNamespace } from './commands/namespaces.ts'
import { query, queryData } from './commands/query.ts'
import { random } from './commands/random.ts'
import { range } from './commands/range.ts'
import { reset } from './commands/reset.ts'
import {
  resumableQuery,
  resumableQueryData,
  resumableQueryEnd,
  resumableQueryNext,
} from './commands/resumable-query.ts'
import { update } from './commands/update.ts'
import { upsert, upsertData } from './commands/upsert.ts'
import type { EmbeddedIndex } from './embedded-index.ts'
import * as field from './fields.ts'
import { limitsOf } from '../plan-limits.ts'
import { ProtocolError } from '../protocol-error.ts'

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

interface Entry {
  readonly run: Command
  /** What a plan with a daily limit counts it as; nothing when absent. A command that is not an update only reads. */
  readonly use?: 'queries' | 'updates'
  /** The method beside POST that the service's examples use. */
  readonly method?: 'GET' | 'DELETE'
}

const COMMANDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['upsert', { run: upsert, use: 'updates' }],
  ['upsert-data', { run: upsertData, use: 'updates' }],
  ['update', { run: update, use: 'updates' }],
  ['query', { run: query, use: 'queries' }],
  ['query-data', { run: queryData, use: 'queries' }],
  ['resumable-query', { run: resumableQuery, use: 'queries' }],
  ['resumable-query-data', { run: resumableQueryData, use: 'queries' }],
  ['resumable-query-next', { run: resumableQueryNext, use: 'queries' }],
  ['resumable-query-end', { run: resumableQueryEnd }],
  ['fetch', { run: fetchRows, use: 'queries', method: 'GET' }],
  ['range', { run: range, use: 'queries', method: 'GET' }],
  ['random', { run: random, use: 'queries', method: 'GET' }],
  ['delete', { run: deleteRows, use: 'updates', method: 'DELETE' }],
  ['reset', { run: reset, use: 'updates', method: 'DELETE' }],
  ['info', { run: info, method: 'GET' }],
  ['list-namespaces', { run: listNamespaces, method: 'GET' }],
  ['delete-namespace', { run: deleteNamespace, use: 'updates', method: 'DELETE' }],
  ['rename-namespace', { run: renameNamespace, use: 'updates' }],
])

const NOTHING: Elsewhere = { namespaces: 0, vectors: 0, storedBytes: 0 }

/** What a plan counts a command as: `updates` for what writes, `queries` for what reads vectors. */
export function useOf(command: string): Entry['use'] {
  return COMMANDS.get(command)?.use
}

/** Carries out a command. What the sender did wrong comes back as an error of the documented shape. */
export function answerCommand(
  index: EmbeddedIndex,
  request: ProtocolRequest,
  elsewhere: Elsewhere = NOTHING,
): ProtocolResponse {
  try {
    const [name = '', ...namespace] = request.path
    const entry = commandFor(name, request.method)
    const { body, search } = request
    if (entry.use !== undefined) index.use.count(entry.use, amountOf(body), limitsOf(index.settings.plan))
    index.store.settle()
    return {
      status: 200,
      body: { result: entry.run(index, { namespace: namespaceOf(namespace), body, search, elsewhere }) },
    }
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return errorResponse(thrown)
    throw thrown
  }
}

/** Vectors, ids or queries in a body: plans count each of them. */
export function amountOf(body: unknown): number {
  if (Array.isArray(body)) return Math.max(1, body.length)
  const ids: unknown = typeof body === 'object' && body !== null && 'ids' in body ? body.ids : undefined
  return Array.isArray(ids) ? Math.max(1, ids.length) : 1
}

/** @throws `ProtocolError` for an unknown command, or one that does not take the method */
export function requireMethod(command: string, method: string): void {
  commandFor(command, method)
}

function commandFor(name: string, method: string): Entry {
  const entry = COMMANDS.get(name)
  if (entry === undefined) throw new ProtocolError(400, 'Unsupported command')
  if (!allows(entry, method)) throw new ProtocolError(405, 'Method Not Allowed')
  return entry
}

/** The service takes PUT as it takes POST; a HEAD is a GET whose answer is not sent. */
function allows({ method }: Entry, asked: string): boolean {
  return asked === 'POST' || asked === 'PUT' || asked === method || (asked === 'HEAD' && method === 'GET')
}

/** An error in the shape that clients read. */
export function errorResponse({ status, message }: ProtocolError): ProtocolResponse {
  return { status, body: { error: message, status } }
}

/**
 * The namespace that the rest of a path names.
 *
 * @throws `ProtocolError` when there can be none of that name
 */
export function namespaceOf(segments: readonly string[]): string {
  return field.namespace(decoded(segments.join('/')), 'namespace')
}

/** The client does not encode namespaces, so what cannot be decoded stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
