/** The files of a folder: which can be read as documents, and what was passed over. */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { misused } from './command-error.ts'

/** How a file is read. */
export type FileFormat = 'markdown' | 'mdx' | 'text' | 'html' | 'jsonl'

const FORMATS: ReadonlyMap<string, FileFormat> = new Map([
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.mdx', 'mdx'],
  ['.txt', 'text'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.jsonl', 'jsonl'],
  ['.ndjson', 'jsonl'],
])

/** What `rag-gate ingest` can read, in words. */
export const ENDINGS = [...FORMATS.keys()].join(', ')

/** A file to read. */
export interface FoundFile {
  readonly path: string
  /** Path from the folder, with forward slashes and composed letters (NFC), on every file system. */
  readonly id: string
  readonly format: FileFormat
  readonly bytes: number
}

/** A file or folder that was passed over, and why. */
export interface PassedOver {
  readonly path: string
  readonly why: string
}

/** What is in a folder. */
export interface Listing {
  readonly files: readonly FoundFile[]
  /** Links, and what is no file. */
  readonly passedOver: readonly PassedOver[]
  /** Files of other kinds, by their ending. */
  readonly otherKinds: ReadonlyMap<string, number>
  /** Folders that could not be looked into: what they hold is not known. */
  readonly closed: readonly PassedOver[]
}

/**
 * Lists a file, or every file of a folder that has one of the known endings. Hidden files and `node_modules` are not looked
 * at. Links are not followed: what they lead to is in the folder already, and would be there twice, or is none of its own.
 *
 * @throws `CommandError` when there is nothing at `path`, or nothing to read
 */
export async function listFiles(path: string): Promise<Listing> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw misused(`There is no file or folder ${path}`)
  const listing = {
    files: [] as FoundFile[],
    passedOver: [] as PassedOver[],
    otherKinds: new Map<string, number>(),
    closed: [] as PassedOver[],
  }
  if (found.isDirectory()) await listFolder(path, '', listing)
  else {
    const format = formatOf(path)
    if (format === undefined) throw misused(`${path} does not end in ${ENDINGS}`)
    listing.files.push({ path, id: basename(path).normalize('NFC'), format, bytes: found.size })
  }
  if (listing.files.length === 0 && listing.closed.length === 0) {
    throw misused(`${path} has no file that ends in ${ENDINGS}`)
  }
  return listing
}

interface OpenListing {
  readonly files: FoundFile[]
  readonly passedOver: PassedOver[]
  readonly otherKinds: Map<string, number>
  readonly closed: PassedOver[]
}

async function listFolder(folder: string, prefix: string, listing: OpenListing): Promise<void> {
  let entries: Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (thrown) {
    listing.closed.push({ path: prefix, why: faultOf(thrown) })
    return
  }
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const { name } = entry
    if (name.startsWith('.') || name === 'node_modules') continue
    const path = join(folder, name)
    const id = `${prefix}${name}`.normalize('NFC')
    if (entry.isDirectory()) {
      await listFolder(path, `${id}/`, listing)
      continue
    }
    const format = formatOf(name)
    if (entry.isSymbolicLink()) listing.passedOver.push({ path: id, why: 'a link, not followed' })
    else if (format === undefined) {
      const ending = extname(name).toLowerCase() || 'no ending'
      listing.otherKinds.set(ending, (listing.otherKinds.get(ending) ?? 0) + 1)
    } else if (entry.isFile()) {
      // A file that went away meanwhile is told when it is read.
      const bytes = await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
      listing.files.push({ path, id, format, bytes })
    } else listing.passedOver.push({ path: id, why: 'not a file' })
  }
}

function formatOf(name: string): FileFormat | undefined {
  return FORMATS.get(extname(name).toLowerCase())
}

/** A fault of the file system in words; the code where there are none. */
export function faultOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown'
  const words: Readonly<Record<string, string>> = {
    EACCES: 'no permission to read it',
    EPERM: 'no permission to read it',
    ENOENT: 'it is not there any more',
    ELOOP: 'its links lead in a circle',
    ENAMETOOLONG: 'its name is too long',
  }
  return words[code] ?? `it cannot be read (${code})`
}
