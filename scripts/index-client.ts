/**
 * Client of an index with Upstash's protocol, for export and import. It encodes namespaces, which the client library
 * does not do; responses are only checked as far as these scripts use them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonText, parseJson } from '../packages/vector-index/src/exact-json.ts'

/** A row of `range` and `upsert`. */
export interface IndexRow {
  readonly id: string
  readonly vector?: readonly number[]
  readonly sparseVector?: { readonly indices: readonly number[]; readonly values: readonly number[] }
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly data?: string
}

/** The members of `info` that are used. */
export interface IndexInfo {
  readonly vectorCount: number
  readonly pendingVectorCount: number
  readonly indexType?: string
  readonly dimension: number
  readonly namespaces: Readonly<Record<string, { readonly vectorCount: number }>>
  /** Only in an index of this project. */
  readonly capacity?: {
    readonly memoryBytesPerNamespace: number
    readonly namespaces: Readonly<Record<string, { readonly memoryBytes: number }>>
  }
}

/** URL and token of an index. */
export interface IndexAddress {
  readonly url: string
  readonly token: string
}

const TRIES = 5

/**
 * Sends a command.
 *
 * Network errors, 429 and 5xx are retried four times, after a pause that doubles from half a second.
 *
 * @throws with the index's own message if it rejects the command
 */
export async function send<Result>(
  { url, token }: IndexAddress,
  command: string,
  namespace: string,
  body: unknown,
): Promise<Result> {
  const path = namespace === '' ? command : `${command}/${encodeURIComponent(namespace)}`
  for (let attempt = 1; ; attempt++) {
    const answer = await attemptOnce(`${url.replace(/\/+$/, '')}/${path}`, token, body)
    // The protocol's format; a wrong result shows where it is used.
    if ('result' in answer) return answer.result as Result
    if (!answer.again || attempt === TRIES) throw new Error(`${command}: ${answer.problem}`)
    await sleep(250 * 2 ** attempt)
  }
}

type Answer = { readonly result: unknown } | { readonly problem: string; readonly again: boolean }

async function attemptOnce(url: string, token: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  let response: Response
  let text: string
  try {
    response = await fetch(url, { method: 'POST', headers, body: jsonText(body) })
    text = await response.text()
  } catch (thrown) {
    return {
      problem: thrown instanceof Error ? `${thrown.message} ${String(thrown.cause ?? '')}` : String(thrown),
      again: true,
    }
  }
  const again = response.status === 429 || response.status >= 500
  let answer: { result?: unknown; error?: string }
  try {
    // An object by the protocol; a number or string has none of these members.
    answer = parseJson(text) as { result?: unknown; error?: string }
  } catch {
    return { problem: `status ${response.status}, not JSON`, again }
  }
  if (response.ok && answer.result !== undefined) return { result: answer.result }
  return { problem: answer.error ?? `status ${response.status}`, again }
}

/** Parses a script's options: `--name value` pairs, with URL and token from the environment by default. */
export function readOptions(names: readonly string[], flags: readonly string[], usage: string): Map<string, string> {
  const options = new Map<string, string>()
  const given = process.argv.slice(2)
  while (given.length > 0) {
    const name = given.shift()?.replace(/^--/, '') ?? ''
    const value = flags.includes(name) ? 'yes' : given.shift()
    if (![...names, ...flags].includes(name) || value === undefined) wrongUse(usage)
    options.set(name, value)
  }
  const env = { url: process.env['UPSTASH_VECTOR_REST_URL'], token: process.env['UPSTASH_VECTOR_REST_TOKEN'] }
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !options.has(name)) options.set(name, value)
  }
  return options
}

/** The index address in the options. */
export function addressIn(options: ReadonlyMap<string, string>, usage: string): IndexAddress {
  const [url, token] = [options.get('url'), options.get('token')]
  if (url === undefined || token === undefined || !/^https?:\/\//.test(url)) return wrongUse(usage)
  return { url, token }
}

/** A whole number in the options, 1..1000. */
export function wholeIn(options: ReadonlyMap<string, string>, name: string, otherwise: number, usage: string): number {
  const value = Number(options.get(name) ?? otherwise)
  return Number.isInteger(value) && value >= 1 && value <= 1000 ? value : wrongUse(usage)
}

/** Prints the usage and exits with code 2. */
export function wrongUse(usage: string): never {
  console.error(usage)
  process.exit(2)
}
