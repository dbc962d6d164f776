import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { V4ModuleDefinition } from 'miniflare'
import { ROOT } from './local-gate.ts'

/**
 * Bundles a Worker with wrangler into modules: the Worker's own first, then its compiled kernel.
 *
 * @param entry path relative to the project root
 * @param directory empty directory for the modules
 */
export function bundle(entry: string, directory: string): V4ModuleDefinition[] {
  const wrangler = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const args = [wrangler, 'deploy', entry, '--dry-run', '--minify', '--outdir', directory]
  const env = { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' }
  const result = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env })
  if (result.status !== 0) throw new Error(`The Worker could not be bundled:\n${result.stdout}\n${result.stderr}`)
  const compiled = readdirSync(directory).filter((name) => name.endsWith('.wasm'))
  return [
    { type: 'ESModule', path: join(directory, `${basename(entry, '.ts')}.js`) },
    ...compiled.map((name) => ({ type: 'CompiledWasm', path: join(directory, name) }) as const),
  ]
}
