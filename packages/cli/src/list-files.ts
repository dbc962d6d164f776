/** Lists the files of a folder that can be read as documents, and those skipped. */
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { misused } from './command-error.ts'

/** Format of a file. */
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

/** Extensions that `rag-gate ingest` can read, in words. */
export const ENDINGS = [...FORMATS.keys()].join(', ')

/** A file to read. */
export interface FoundFile {
  readonly path: string
  /** Path relative to the folder, with forward slashes and in NFC, the same on every file system. */
  readonly id: string
  readonly format: FileFormat
  readonly bytes: number
}

/** A skipped file or folder, and why. */
export interface PassedOver {
  readonly path: string
  readonly why: string
}

/** Content of a folder. */
export interface Listing {
  readonly files: readonly FoundFile[]
  /** Symbolic links and special files. */
  readonly passedOver: readonly PassedOver[]
  /** Numbers of files of other types, by extension. */
  readonly otherKinds: ReadonlyMap<string, number>
  /** Folders that could not be read, so their content is unknown. */
  readonly closed: readonly PassedOver[]
}

/**
 * Lists a file, or all files of a folder with a known extension. Hidden files and `node_modules` are ignored. Symbolic
 * links are not followed: their targets are in the folder anyway, or do not belong to it.
 *
 * @throws `CommandError` if `path` does not exist, or has nothing to read
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
      // A file that was deleted in the meantime is reported when it is read.
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

/** A file system error in words; its code if unknown. */
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
