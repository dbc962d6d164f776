/** Reads documents from files: one per Markdown, MDX, text or HTML file, one per line of a JSONL file. */
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { mdxToMarkdown, splitFrontMatter } from '@hono-rag-gate/ingest/mdx'
import { canonicalJson, isWellFormed, type Json } from 'hono-rag-gate/core/lib'
import type { GateDocument } from './gate-client.ts'
import { faultOf, type FoundFile } from './list-files.ts'

/** Maximum size of a document's text in the gate. */
export const MAX_TEXT_BYTES = 2_000_000
/** The longest text with every character escaped, plus a margin. */
const MAX_LINE_BYTES = 16_000_000
const MAX_TITLE_CHARACTERS = 1000
const MAX_METADATA_CHARACTERS = 16_000

/** Content of a file. */
export type Read =
  | { readonly kind: 'document'; readonly document: GateDocument; readonly from: string; readonly remark?: string }
  /** No content, but no error. */
  | { readonly kind: 'empty'; readonly from: string }
  /** It could not be read. Without an `id`, the ids of its documents are unknown. */
  | { readonly kind: 'unreadable'; readonly from: string; readonly id?: string; readonly why: string }

/** Reads a file. Errors are reported, not thrown, so that other files are still read. */
export async function* readDocuments(file: FoundFile): AsyncGenerator<Read> {
  if (file.format === 'jsonl') yield* readLines(file)
  else yield await readPage(file)
}

async function readPage({ path, id, format, bytes }: FoundFile): Promise<Read> {
  const unreadable = (why: string): Read => ({ kind: 'unreadable', from: id, id, why })
  if (bytes > MAX_TEXT_BYTES) {
    return unreadable(`${megabytes(bytes)}, and a gate takes ${megabytes(MAX_TEXT_BYTES)} at most: send it in parts`)
  }
  let content: Uint8Array
  try {
    content = await readFile(path)
  } catch (thrown) {
    return unreadable(faultOf(thrown))
  }
  const text = decoded(content)
  if (text === undefined) return unreadable('it is not UTF-8')
  if (text.includes('\0')) return unreadable('it is no text')
  if (format === 'html' || format === 'text') {
    if (text.trim() === '') return { kind: 'empty', from: id }
    return { kind: 'document', from: id, document: { id, text, format, source: sourceOf(id) } }
  }
  const { body, fields, fault } = splitFrontMatter(text)
  const markdown = format === 'mdx' || MDX.test(body.trimStart()) ? mdxToMarkdown(body) : body
  if (markdown.trim() === '') return { kind: 'empty', from: id }
  const { title, ...others } = fields
  const named = typeof title === 'string' || typeof title === 'number' ? String(title) : undefined
  const { metadata, remark = fault } = metadataOf(others)
  return {
    kind: 'document',
    from: id,
    document: {
      id,
      text: withDescription(markdown, fields['description']),
      format: 'markdown',
      source: sourceOf(id),
      // Without one the gate reads it from the text.
      ...shownTitle(named),
      ...(metadata === undefined ? {} : { metadata }),
    },
    ...(remark === undefined ? {} : { remark }),
  }
}

/** An import or comment of MDX at the beginning: some site generators read Markdown as MDX. */
const MDX = /^(?:\{\/\*|import\s+(?:[\w$*{},\s]{1,300}?\sfrom\s+)?['"])/

/** Adds the description, which sites show below the title and which often summarises the page. */
function withDescription(markdown: string, description: unknown): string {
  const words = typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : ''
  if (words === '' || markdown.replaceAll(/\s+/g, ' ').includes(words)) return markdown
  const [title = ''] = /^\s*#[ \t][^\n]*\n/.exec(markdown) ?? []
  return `${title}${title === '' ? '' : '\n'}${words}\n\n${markdown.slice(title.length)}`
}

function metadataOf(fields: Readonly<Record<string, unknown>>): {
  metadata?: Record<string, unknown>
  remark?: string
} {
  if (Object.keys(fields).length === 0) return {}
  if (JSON.stringify(fields).length > MAX_METADATA_CHARACTERS) {
    return { remark: 'its front matter is too long for metadata, and left out' }
  }
  return { metadata: { ...fields } }
}

/** Decodes UTF-8; `undefined` if invalid. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Prefixes a path that looks like a URL, such as `a:b.md` or `\\a.md`, with `./`. */
function sourceOf(id: string): string {
  return /^\s*(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(id) ? `./${id}` : id
}

function shownTitle(written: string | undefined): { readonly title?: string } {
  const words = written?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim() ?? ''
  // Not within a surrogate pair.
  const title = words.slice(0, MAX_TITLE_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return title === '' ? {} : { title }
}

/** Streams a JSONL file, which may be larger than a string can be. The gate validates the rest of each document. */
async function* readLines({ path, id: from }: FoundFile): AsyncGenerator<Read> {
  let number = 0
  let found = 0
  try {
    for await (const line of linesOf(path)) {
      number++
      const at = `${from}:${number}`
      if (line === 'too long') {
        yield { kind: 'unreadable', from: at, why: `the line is longer than ${megabytes(MAX_LINE_BYTES)}` }
        found++
        continue
      }
      const text = decoded(line)
      if (text?.trim() === '') continue
      found++
      yield lineOf(text, at)
    }
  } catch (thrown) {
    yield { kind: 'unreadable', from, why: faultOf(thrown) }
    return
  }
  if (found === 0) yield { kind: 'empty', from }
}

/** The lines of a file; `too long` replaces one that is too long for any document. */
async function* linesOf(path: string): AsyncGenerator<Uint8Array | 'too long'> {
  let pieces: Uint8Array[] = []
  let length = 0
  const take = (): Uint8Array | 'too long' => {
    const line = length > MAX_LINE_BYTES ? 'too long' : Buffer.concat(pieces)
    pieces = []
    length = 0
    return line
  }
  const keep = (piece: Uint8Array): void => {
    length += piece.length
    if (length > MAX_LINE_BYTES) pieces = []
    else pieces.push(piece)
  }
  for await (const piece of createReadStream(path)) {
    // File streams without an encoding yield buffers.
    let rest = piece as Buffer
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      keep(rest.subarray(0, end))
      yield take()
      rest = rest.subarray(end + 1)
    }
    keep(rest)
  }
  if (length > 0) yield take()
}

function lineOf(text: string | undefined, from: string): Read {
  const unreadable = (why: string): Read => ({ kind: 'unreadable', from, why })
  if (text === undefined) return unreadable('it is not UTF-8')
  let document: unknown
  try {
    document = JSON.parse(text)
    canonicalJson(document as Json)
    if (!isWellFormed(document)) return unreadable('it has a number that is not finite, or half of a character')
  } catch (thrown) {
    // JSON with thousands of levels can be parsed, but neither hashed nor sent.
    return unreadable(thrown instanceof RangeError ? 'it nests too deeply' : NO_DOCUMENT)
  }
  if (document === null || typeof document !== 'object' || !('id' in document) || typeof document.id !== 'string') {
    return unreadable(NO_DOCUMENT)
  }
  return { kind: 'document', from, document: document as GateDocument }
}

const NO_DOCUMENT = 'it is not a JSON object with an id'

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
