/** Documents from files: Markdown, text and HTML are one each, JSONL has one on each line. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { misused } from './command-error.ts'
import type { GateDocument } from './gate-client.ts'

const FORMATS: Readonly<Record<string, 'markdown' | 'text' | 'html' | 'jsonl'>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.txt': 'text',
  '.html': 'html',
  '.htm': 'html',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
}

/** What `rag-gate ingest` can read. */
const EXTENSIONS: readonly string[] = Object.keys(FORMATS)

/**
 * Reads a file, or every file of a folder that has one of the known endings. A document's id is its path from the folder,
 * with forward slashes; in JSONL every line brings its own.
 *
 * @throws `CommandError` when there is nothing to read, a file is no UTF-8, or a line no document
 */
export async function readDocuments(path: string): Promise<GateDocument[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw misused(`There is no file or folder ${path}`)
  const files = found.isDirectory() ? await filesIn(path) : [path]
  if (files.length === 0) throw misused(`${path} has no file that ends in ${EXTENSIONS.join(', ')}`)
  const documents: GateDocument[] = []
  for (const file of files) {
    const id = found.isDirectory() ? relative(path, file).split(sep).join('/') : basename(file)
    documents.push(...(await readFileAs(file, id)))
  }
  // An empty list and `--prune` together would empty the collection.
  if (documents.length === 0) throw misused(`${path} has files, and no text in them`)
  const ids = new Set<string>()
  for (const { id } of documents) {
    if (ids.has(id)) throw misused(`Two documents have the id ${id}`)
    ids.add(id)
  }
  return documents
}

/** Hidden files and `node_modules` are passed over. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && FORMATS[extname(entry.name).toLowerCase()] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !relative(folder, file)
          .split(sep)
          .some((part) => part.startsWith('.') || part === 'node_modules'),
    )
    .sort()
}

async function readFileAs(file: string, id: string): Promise<GateDocument[]> {
  const format = FORMATS[extname(file).toLowerCase()]
  if (format === undefined) throw misused(`${file} does not end in ${EXTENSIONS.join(', ')}`)
  const text = decode(await readFile(file), file)
  if (format === 'jsonl') return readLines(text, file)
  if (text.trim() === '') return []
  const title = titleOf(text, format)
  return [{ id, text, format, source: id, ...(title === undefined ? {} : { title }) }]
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw misused(`${file} is not UTF-8`)
  }
}

function titleOf(text: string, format: 'markdown' | 'text' | 'html'): string | undefined {
  const title = format === 'markdown' ? /^#[ \t]+(.+)$/m.exec(text) : format === 'html' ? TITLE.exec(text) : null
  const words = title?.[1]?.replaceAll(/\s+/g, ' ').trim()
  return words === undefined || words === '' ? undefined : words.slice(0, 1000)
}

const TITLE = /<title[^>]*>([^<]*)<\/title>/i

/** The gate checks the rest of each document. */
function readLines(text: string, file: string): GateDocument[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    let document: unknown
    try {
      document = JSON.parse(line)
    } catch {
      document = undefined
    }
    if (document === null || typeof document !== 'object' || !('id' in document) || typeof document.id !== 'string') {
      throw misused(`${file}:${at + 1} is not a JSON object with an id`)
    }
    return [document as GateDocument]
  })
}
