/**
 * Publishes the packages of `dist/npm`, the gate first, because it is a peer dependency of the others. In the release
 * workflow npm signs their provenance; `--dry-run` does everything but the upload, and runs in CI.
 *
 *   npm run build && node scripts/publish.mjs [--dry-run]
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../dist/npm', import.meta.url))
const packages = readdirSync(built).toSorted((a, b) => Number(b === 'hono-rag-gate') - Number(a === 'hono-rag-gate'))
for (const name of packages) {
  const args = ['publish', join(built, name), '--access=public', '--loglevel=warn', ...process.argv.slice(2)]
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' })
  // Published packages stay published: after the fault is fixed, the same command publishes the rest.
  if (status !== 0) {
    console.error(`Not published: ${packages.slice(packages.indexOf(name)).join(', ')}`)
    process.exit(1)
  }
}
