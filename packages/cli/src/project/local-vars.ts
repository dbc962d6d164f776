/** The variables of a project for runs on this machine. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { isRecord } from 'hono-rag-gate/core/lib'
import type { WranglerConfig } from './wrangler-config.ts'

/**
 * Reads them as wrangler does: those of `.dev.vars`, else of `.env`, over those of the configuration.
 *
 * @param config @default without a configuration
 */
export function localVars(
  folder: string,
  { settings: { vars } }: Pick<WranglerConfig, 'settings'> = { settings: {} },
): Readonly<Record<string, string>> {
  const file = ['.dev.vars', '.env'].map((name) => join(folder, name)).find((path) => existsSync(path))
  const own = Object.entries(isRecord(vars) ? vars : {}).filter(([, value]) => typeof value === 'string')
  return { ...Object.fromEntries(own), ...(file === undefined ? {} : parseEnv(readFileSync(file, 'utf8'))) } as Record<
    string,
    string
  >
}
