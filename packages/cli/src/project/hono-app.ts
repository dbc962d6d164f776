/** Reads a project's package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError } from '../command-error.ts'

/** @throws `CommandError` if package.json is missing or invalid */
export function dependenciesOf(folder: string): readonly string[] {
  const path = join(folder, 'package.json')
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new CommandError(`${path} cannot be read: name the folder of a project`)
  }
  const { dependencies, devDependencies } = isRecord(manifest) ? manifest : {}
  return [dependencies, devDependencies].flatMap((each) => (isRecord(each) ? Object.keys(each) : []))
}

/** For a project that is not a Worker. @throws `CommandError` if it does not use Hono */
export function requireHono(folder: string): void {
  if (dependenciesOf(folder).includes('hono')) return
  const none = 'it has no wrangler.toml, wrangler.jsonc or wrangler.json, and its package.json no hono'
  throw new CommandError(`${folder} is no Workers project and no app of Hono: ${none}`)
}
