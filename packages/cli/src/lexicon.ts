/** `rag-gate lexicon`: counts the words of an index that others filled, so that the gate can weight rare words. */
import { writeFile } from 'node:fs/promises'
import type { IndexRow, PassageFields } from '@hono-rag-gate/upstream/rows'
import { buildLexicon, EMPTY_LEXICON, encodeLexicon, updateLexicon } from 'hono-rag-gate/core/text'
import { english } from 'hono-rag-gate/language/english'
import { misused, notWritten, requireWritable } from './command-error.ts'
import { command } from './command.ts'
import type { RowPage } from './list-index-rows.ts'
import { jsonText, type Terminal } from './terminal.ts'
import { INDEX_OPTIONS, pagesOf, passageIn, placeOf, withoutAnyText } from './which-index.ts'

/** The counts, as printed by `--json`. */
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
    'Upstash: --index and --token, else UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN, also of .dev.vars or .env.',
    'Vectorize: --vectorize and --account, else CLOUDFLARE_ACCOUNT_ID; with CLOUDFLARE_API_TOKEN.',
    'Without --out the lexicon is printed.',
  ],
  options: {
    out: { type: 'string', value: 'file', about: 'where the lexicon is written' },
    ...INDEX_OPTIONS,
    vectorize: { type: 'string', value: 'name', about: 'a Vectorize index instead' },
    account: { type: 'string', value: 'id', about: 'account of the Vectorize index' },
  },
  async run({ terminal, words, given, json }) {
    if (words.length > 0) throw misused('lexicon takes no words; which index is said by options')
    const { out, text } = given
    if (out !== undefined) await requireWritable(out)
    if (json && out === undefined) throw misused('--json needs --out: the lexicon itself is no JSON')
    const fields = text === undefined ? {} : { text }
    const { lexicon, ...counts } = await countRows(pagesOf(given, terminal), fields, terminal)
    const encoded = encodeLexicon(lexicon)
    if (out === undefined) {
      terminal.out(encoded)
      return 0
    }
    await writeFile(out, encoded).catch(notWritten(out))
    const chunks = lexicon.chunkCount
    const summary: LexiconSummary = { ...counts, chunks, distinct_terms: lexicon.documentFrequency.size, out }
    terminal.out(json ? jsonText(summary) : textOf(summary))
    return 0
  },
})

async function countRows(pages: AsyncGenerator<RowPage>, fields: PassageFields, { progress, note }: Terminal) {
  let lexicon = EMPTY_LEXICON
  let rows = 0
  let withoutText = 0
  let example: IndexRow | undefined
  try {
    for await (const page of pages) {
      const texts = page.rows.flatMap((row) => passageIn(row, fields)?.text ?? [])
      example ??= page.rows.find((row) => passageIn(row, fields) === undefined)
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

function textOf({ chunks, distinct_terms: distinct, out }: LexiconSummary): string {
  return `${out}: ${distinct} terms of ${chunks} chunks`
}
