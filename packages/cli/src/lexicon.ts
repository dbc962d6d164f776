/** `rag-gate lexicon`: counts the words of an index that others filled, so that the gate knows rare ones from common ones. */
import { writeFile } from 'node:fs/promises'
import { type IndexRow, type PassageFields, passageOfRow } from 'hono-rag-gate/core/evidence'
import { isRagGateError } from 'hono-rag-gate/errors'
import { buildLexicon, EMPTY_LEXICON, encodeLexicon, updateLexicon } from 'hono-rag-gate/core/text'
import { english } from 'hono-rag-gate/language/english'
import { CommandError, misused } from './command-error.ts'
import { command } from './command.ts'
import { type RowPage, upstashRows, vectorizeRows } from './list-index-rows.ts'
import { jsonText, type Terminal } from './terminal.ts'

const CLOUDFLARE_API = 'https://api.cloudflare.com/client/v4'

/** What was counted, as `--json` prints it. */
interface LexiconSummary {
  readonly rows: number
  readonly rows_without_text: number
  readonly chunks: number
  readonly distinct_terms: number
  readonly out: string
}

/** The command. */
export const lexiconCommand = command({
  name: 'lexicon',
  about: 'Counts the words of an index that others filled, for createStaticCollections([{ id, lexicon }])',
  usage: [
    'lexicon [--out <file>] [--namespace <name>] [--text <member>]',
    'lexicon --vectorize <name> [--account <id>] [--out <file>]',
  ],
  notes: [
    'Upstash: --index and --token, else UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN.',
    'Vectorize: --vectorize and --account, else CLOUDFLARE_ACCOUNT_ID; with CLOUDFLARE_API_TOKEN.',
    'Without --out the lexicon is printed.',
  ],
  options: {
    out: { type: 'string', value: 'file', about: 'where the lexicon is written' },
    index: { type: 'string', value: 'address', about: 'address of an Upstash index' },
    token: { type: 'string', value: 'token', about: 'token of the index; better in the environment' },
    vectorize: { type: 'string', value: 'name', about: 'a Vectorize index instead' },
    account: { type: 'string', value: 'id', about: 'account of the Vectorize index' },
    namespace: { type: 'string', value: 'name', about: 'namespace that is read; the default one otherwise' },
    text: { type: 'string', value: 'member', about: 'where rows keep their text: data, or a member of the metadata' },
  },
  async run({ terminal, words, given, json }) {
    if (words.length > 0) throw misused('lexicon takes no words; which index is said by options')
    const { out, text } = given
    if (json && out === undefined) throw misused('--json needs --out: the lexicon itself is no JSON')
    const fields = text === undefined ? {} : { text }
    const { lexicon, ...counts } = await countRows(pagesOf(given, terminal), fields, terminal)
    const encoded = encodeLexicon(lexicon)
    if (out === undefined) {
      terminal.out(encoded)
      return 0
    }
    await writeFile(out, encoded).catch((thrown: unknown) => {
      throw new CommandError(`${out} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    })
    const chunks = lexicon.chunkCount
    const summary: LexiconSummary = { ...counts, chunks, distinct_terms: lexicon.documentFrequency.size, out }
    terminal.out(json ? jsonText(summary) : textOf(summary))
    return 0
  },
})

/** Which index, and as whom. */
interface WhichIndex {
  readonly index: string | undefined
  readonly token: string | undefined
  readonly vectorize: string | undefined
  readonly account: string | undefined
  readonly namespace: string | undefined
}

/** @throws `CommandError` when it is not said which index, or as whom */
function pagesOf(values: WhichIndex, { env }: Terminal): AsyncGenerator<RowPage> {
  const { namespace = '', vectorize } = values
  if (vectorize !== undefined) {
    const account = values.account ?? env['CLOUDFLARE_ACCOUNT_ID']
    const token = values.token ?? env['CLOUDFLARE_API_TOKEN']
    if (account === undefined) throw misused('Vectorize needs --account, or CLOUDFLARE_ACCOUNT_ID')
    if (token === undefined) throw misused('Vectorize needs CLOUDFLARE_API_TOKEN, with the permission Vectorize Read')
    const apiUrl = env['CLOUDFLARE_API_BASE_URL'] ?? CLOUDFLARE_API
    return vectorizeRows({ index: vectorize, account, token, namespace, apiUrl })
  }
  const url = values.index ?? env['UPSTASH_VECTOR_REST_URL']
  const token = values.token ?? env['UPSTASH_VECTOR_REST_TOKEN']
  if (url === undefined) throw misused('Which index? --index, or UPSTASH_VECTOR_REST_URL; or --vectorize')
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw misused(`${url} is not an address that begins with http:// or https://`)
  if (token === undefined) throw misused('The index needs UPSTASH_VECTOR_REST_TOKEN, or --token')
  return upstashRows({ url, token, namespace })
}

async function countRows(pages: AsyncGenerator<RowPage>, fields: PassageFields, { progress, note }: Terminal) {
  let lexicon = EMPTY_LEXICON
  let rows = 0
  let withoutText = 0
  let example: IndexRow | undefined
  try {
    for await (const page of pages) {
      const texts = page.rows.flatMap((row) => textIn(row, fields) ?? [])
      example ??= page.rows.find((row) => textIn(row, fields) === undefined)
      lexicon = updateLexicon(lexicon, { added: buildLexicon(texts, english), removed: EMPTY_LEXICON })
      rows += page.rows.length
      withoutText += page.rows.length - texts.length
      progress.show(rows, page.total, `${rows} of ${page.total} rows`)
    }
  } finally {
    progress.end()
  }
  if (lexicon.chunkCount === 0) throw withoutAnyText(example, fields)
  if (withoutText > 0) {
    note(`${withoutText} of ${rows} rows have no text in ${placeOf(fields)}, and are not counted.`)
  }
  return { lexicon, rows, rows_without_text: withoutText }
}

function textIn(row: IndexRow, fields: PassageFields): string | undefined {
  try {
    return passageOfRow(row, fields)?.text
  } catch (thrown) {
    // A row without id is none of a passage.
    if (isRagGateError(thrown)) return undefined
    throw thrown
  }
}

function withoutAnyText(example: IndexRow | undefined, fields: PassageFields): CommandError {
  if (example === undefined) return new CommandError('There is no such row: is the namespace the right one?')
  const members = Object.keys(example.metadata).slice(0, 20).join(', ')
  return new CommandError(
    `No row has a text in ${placeOf(fields)}. Members of their metadata: ${members || 'none'}. Say which: --text <member>`,
  )
}

function placeOf({ text }: PassageFields): string {
  return typeof text === 'string' ? text : 'data, metadata.text, metadata.content and the like'
}

function textOf({ chunks, distinct_terms: distinct, out }: LexiconSummary): string {
  return `${out}: ${distinct} terms of ${chunks} chunks`
}
