/**
 * Writes into the lockfile where each package is: npm would ask the registry for all versions of each otherwise, which is half of
 * an install. npm reads the public registry's address as that of whichever registry is set.
 *
 *   node scripts/lockfile.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  readonly version: string
  readonly name?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const FILE = join(import.meta.dirname, '..', 'package-lock.json')

/** Where the public registry has a package, found at a path of the lockfile. */
export function addressOf(path: string, { name, version }: LockedPackage): string {
  const full = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return `https://registry.npmjs.org/${full}/-/${full.slice(full.lastIndexOf('/') + 1)}-${version}.tgz`
}

function addressed(path: string, entry: LockedPackage): LockedPackage {
  if (entry.integrity === undefined) return entry
  const { name, version, resolved: _, ...others } = entry
  return { ...(name && { name }), version, resolved: addressOf(path, entry), ...others }
}

if (import.meta.main) {
  // npm's own form.
  const lockfile = JSON.parse(readFileSync(FILE, 'utf8')) as Lockfile
  const packages = Object.fromEntries(
    Object.entries(lockfile.packages).map(([path, entry]) => [path, addressed(path, entry)]),
  )
  writeFileSync(FILE, `${JSON.stringify({ ...lockfile, packages }, null, 2)}\n`)
}
