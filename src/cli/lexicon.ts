/** `rag-gate lexicon`: counts the words of an index that others filled, so that the gate knows rare ones from common ones. */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type IndexRow, type PassageFields, passageOfRow } from '../core/evidence/passage-fields.ts'
import { isRagGateError } from '../errors.ts'
import { buildLexicon, EMPTY_LEXICON, encodeLexicon, updateLexicon } from '../core/text/lexicon.ts'
import { CommandError, misused } from './command-error.ts'
import { type RowPage, upstashRows, vectorizeRows } from './list-index-rows.ts'
import { progressOn, type Terminal } from './terminal.ts'

/** How the command is called. */
export const LEXICON_HELP = `  rag-gate lexicon [--out <file>] [--namespace <name>] [--text <member>]
      Counts the words of an index that others filled, for createStaticCollections([{ id, lexicon }]).
      --index <url> --token <token>        Upstash; else UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN
      --vectorize <name> --account <id>    Vectorize; CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN
      --text says where rows keep their text (data, or a member of the metadata); without it the usual names are tried.
      Without --out the lexicon is printed.`

const CLOUDFLARE_API = 'https://api.cloudflare.com/client/v4'

/** What was counted, as `--json` prints it. */
interface LexiconSummary {
  readonly rows: number
  readonly rows_without_text: number
  readonly chunks: number
  readonly distinct_terms: number
  readonly out: string
}

/**
 * Runs the command.
 *
 * @param given what stands after its name
 * @returns the exit code
 * @throws `CommandError`
 */
export async function lexiconCommand(given: readonly string[], terminal: Terminal): Promise<number> {
  const values = read(given)
  if (values.help) {
    terminal.out(LEXICON_HELP)
    return 0
  }
  const { out, text, json } = values
  if (json && out === undefined) throw misused('--json needs --out: the lexicon itself is no JSON')
  const fields = text === undefined ? {} : { text }
  const { lexicon, ...counts } = await countRows(pagesOf(values, terminal), fields, terminal)
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
  terminal.out(json ? JSON.stringify(summary, undefined, 2) : textOf(summary))
  return 0
}

function read(given: readonly string[]) {
  try {
    return parseArgs({
      args: [...given],
      options: {
        out: { type: 'string' },
        index: { type: 'string' },
        token: { type: 'string' },
        vectorize: { type: 'string' },
        account: { type: 'string' },
        namespace: { type: 'string', default: '' },
        text: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (thrown) {
    throw misused(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** @throws `CommandError` when it is not said which index, or as whom */
function pagesOf(values: ReturnType<typeof read>, { env }: Terminal): AsyncGenerator<RowPage> {
  const { namespace, vectorize } = values
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
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw misused(`${url} is not an http(s) address`)
  if (token === undefined) throw misused('The index needs UPSTASH_VECTOR_REST_TOKEN, or --token')
  return upstashRows({ url, token, namespace })
}

async function countRows(pages: AsyncGenerator<RowPage>, fields: PassageFields, { notes }: Terminal) {
  const progress = progressOn(notes)
  let lexicon = EMPTY_LEXICON
  let rows = 0
  let withoutText = 0
  let example: IndexRow | undefined
  try {
    for await (const page of pages) {
      const texts = page.rows.flatMap((row) => textIn(row, fields) ?? [])
      example ??= page.rows.find((row) => textIn(row, fields) === undefined)
      lexicon = updateLexicon(lexicon, { added: buildLexicon(texts), removed: EMPTY_LEXICON })
      rows += page.rows.length
      withoutText += page.rows.length - texts.length
      progress.show(rows, page.total, `${rows} of ${page.total} rows`)
    }
  } finally {
    progress.end()
  }
  if (lexicon.chunkCount === 0) throw withoutAnyText(example, fields)
  if (withoutText > 0) {
    notes.write(`${withoutText} of ${rows} rows have no text in ${placeOf(fields)}, and are not counted.\n`)
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
