/**
 * The REST protocol of Upstash Vector over a namespace: takes a command with its body, returns status and body.
 *
 * Choices where the service's documentation is silent are listed in docs/vector-index.md.
 *
 * @see https://upstash.com/docs/vector/api/get-started
 */
import { ProtocolError } from '../protocol-error.ts'
import type { Command, CommandRequest, EmbeddedIndex } from './embedded-index.ts'
import { query, queryData } from './query.ts'
import { resumableQuery, resumableQueryData, resumableQueryEnd, resumableQueryNext } from './resumable-query.ts'
import { deleteRows, fetchRows, random, range, reset, update, upsert, upsertData } from './rows.ts'

/** A command received over HTTP. */
export interface ProtocolRequest extends CommandRequest {
  readonly command: string
  readonly method: string
}

/** The response. */
export interface ProtocolResponse {
  readonly status: number
  readonly body: { readonly result: unknown } | { readonly error: string; readonly status: number }
}

interface Entry {
  /** Absent if the directory serves it. */
  readonly run?: Command
  /** `reads` and `searches` are allowed with a read-only token; `searches` needs the blocks loaded. */
  readonly kind: 'writes' | 'searches' | 'reads'
  /** A method in addition to POST that the service's examples use. */
  readonly method?: 'GET' | 'DELETE'
}

const COMMANDS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['upsert', { run: upsert, kind: 'writes' }],
  ['upsert-data', { run: upsertData, kind: 'writes' }],
  ['update', { run: update, kind: 'writes' }],
  ['delete', { run: deleteRows, kind: 'writes', method: 'DELETE' }],
  ['reset', { run: reset, kind: 'writes', method: 'DELETE' }],
  ['query', { run: query, kind: 'searches' }],
  ['query-data', { run: queryData, kind: 'searches' }],
  ['resumable-query', { run: resumableQuery, kind: 'searches' }],
  ['resumable-query-data', { run: resumableQueryData, kind: 'searches' }],
  ['resumable-query-next', { run: resumableQueryNext, kind: 'searches' }],
  ['resumable-query-end', { run: resumableQueryEnd, kind: 'reads' }],
  ['fetch', { run: fetchRows, kind: 'reads', method: 'GET' }],
  ['range', { run: range, kind: 'reads', method: 'GET' }],
  ['random', { run: random, kind: 'reads', method: 'GET' }],
  ['info', { kind: 'reads', method: 'GET' }],
  ['list-namespaces', { kind: 'reads', method: 'GET' }],
  ['delete-namespace', { kind: 'writes', method: 'DELETE' }],
])

/** The kind of a command; `undefined` for an unknown one. */
export function kindOfCommand(command: string): Entry['kind'] | undefined {
  return COMMANDS.get(command)?.kind
}

/** Carries out a command on a namespace. Errors of the sender become responses in the documented form. */
export function answerCommand(
  index: EmbeddedIndex,
  { command, method, ...request }: ProtocolRequest,
): ProtocolResponse {
  try {
    const run = requireCommand(command, method)
    if (run === undefined) throw unsupported()
    return { status: 200, body: { result: run(index, request) } }
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return errorResponse(thrown)
    throw thrown
  }
}

/** @throws `ProtocolError` for an unknown command, or a wrong method */
export function requireCommand(command: string, method: string): Command | undefined {
  const entry = COMMANDS.get(command)
  if (entry === undefined) throw unsupported()
  // The service accepts PUT like POST; HEAD is GET without the body.
  const taken = ['POST', 'PUT', entry.method, ...(entry.method === 'GET' ? ['HEAD'] : [])]
  if (!taken.includes(method)) throw new ProtocolError(405, 'Method Not Allowed')
  return entry.run
}

function unsupported(): ProtocolError {
  return new ProtocolError(400, 'Unsupported command')
}

/** An error response in the form that clients parse. */
export function errorResponse({ status, message }: ProtocolError): ProtocolResponse {
  return { status, body: { error: message, status } }
}
