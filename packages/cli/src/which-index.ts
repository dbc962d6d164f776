/** Options that choose an index, and reading of its rows. */
import { type IndexRow, type PassageFields, passageOfRow } from '@hono-rag-gate/upstream/rows'
import { type Passage } from 'hono-rag-gate/core/evidence'
import { isRagGateError } from 'hono-rag-gate/errors'
import { CommandError, misused } from './command-error.ts'
import { type Given, type Options, requireAddress } from './command.ts'
import { type RowPage, type UpstashAddress, upstashRows, vectorizeRows } from './list-index-rows.ts'
import { localVars } from './project/local-vars.ts'
import type { Terminal } from './terminal.ts'

const CLOUDFLARE_API = 'https://api.cloudflare.com/client/v4'

/** Options that choose an Upstash index and its rows. */
export const INDEX_OPTIONS = {
  index: { type: 'string', value: 'address', about: 'address of an Upstash index' },
  token: { type: 'string', value: 'token', about: 'token of the index; better in the environment' },
  namespace: { type: 'string', value: 'name', about: 'namespace that is read; the default one otherwise' },
  text: { type: 'string', value: 'member', about: 'where rows keep their text: data, or a member of the metadata' },
} as const satisfies Options

type WhichUpstash = Given<Pick<typeof INDEX_OPTIONS, 'index' | 'token' | 'namespace'>>
type WhichIndex = WhichUpstash & Readonly<Record<'vectorize' | 'account', string | undefined>>

/** @throws `CommandError` if the index or its credentials are missing */
export function pagesOf(values: WhichIndex, { env }: Terminal): AsyncGenerator<RowPage> {
  const { namespace = '', vectorize } = values
  if (vectorize !== undefined) {
    const account = values.account ?? env['CLOUDFLARE_ACCOUNT_ID']
    const token = values.token ?? env['CLOUDFLARE_API_TOKEN']
    if (account === undefined) throw misused('Vectorize needs --account, or CLOUDFLARE_ACCOUNT_ID')
    if (token === undefined) throw misused('Vectorize needs CLOUDFLARE_API_TOKEN, with the permission Vectorize Read')
    const apiUrl = env['CLOUDFLARE_API_BASE_URL'] ?? CLOUDFLARE_API
    return vectorizeRows({ index: vectorize, account, token, namespace, apiUrl })
  }
  return upstashRows(namedUpstash(values, { env }))
}

/**
 * The index that the options or the environment name, else the one of the project in the working directory.
 *
 * @throws `CommandError` if the index or its credentials are missing
 */
export function namedUpstash(values: WhichUpstash, { env }: Pick<Terminal, 'env'>): UpstashAddress {
  const isNamed = (values.index ?? env['UPSTASH_VECTOR_REST_URL'] ?? '') !== ''
  // The project's token is for its own index.
  return upstashOf(values, { env: isNamed ? env : { ...env, ...localVars(process.cwd()) } })
}

/** @throws `CommandError` if the index or its credentials are missing */
export function upstashOf(values: WhichUpstash, { env }: Pick<Terminal, 'env'>): UpstashAddress {
  const url = values.index ?? env['UPSTASH_VECTOR_REST_URL']
  const token = values.token ?? env['UPSTASH_VECTOR_REST_TOKEN']
  if (url === undefined || url === '') throw misused('Which index? --index, or UPSTASH_VECTOR_REST_URL')
  requireAddress(url)
  if (token === undefined || token === '') throw misused('The index needs UPSTASH_VECTOR_REST_TOKEN, or --token')
  return { url, token, namespace: values.namespace ?? '' }
}

/** The passage in a row; `undefined` for one without text. */
export function passageIn(row: IndexRow, fields: PassageFields): Passage | undefined {
  try {
    return passageOfRow(row, fields)
  } catch (thrown) {
    // A row without id is not a passage.
    if (isRagGateError(thrown)) return undefined
    throw thrown
  }
}

/** The error for rows without any text in the configured place. @param example one of the rows */
export function withoutAnyText(example: IndexRow | undefined, fields: PassageFields): CommandError {
  if (example === undefined) return new CommandError('There is no such row: is the namespace the right one?')
  const members = Object.keys(example.metadata).slice(0, 20).join(', ')
  return new CommandError(
    `No row has a text in ${placeOf(fields)}. Members of their metadata: ${members || 'none'}. Say which: --text <member>`,
  )
}

/** Describes where the text is looked for. */
export function placeOf({ text }: PassageFields): string {
  return typeof text === 'string' ? text : 'data, metadata.text, metadata.content and the like'
}
