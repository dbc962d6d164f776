/**
 * Installs the packages of `dist/npm` like a user, queries an app built with them and runs their commands, all with the
 * running Node, Bun or Deno. CI runs it with every supported Node version, and with the other two.
 *
 *   npm run build && node scripts/try-built.mjs
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist', 'npm')
const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-built-'))
const run = (command, args) => {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exitCode = 1
}
writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
const packages = readdirSync(built).map((name) => join(built, name))
const manifests = packages.map((path) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')))
const own = new Set(manifests.map(({ name }) => name))
const peers = Object.entries(Object.assign({}, ...manifests.map(({ peerDependencies }) => peerDependencies)))
const wanted = peers.filter(([name]) => !own.has(name)).map(([name, range]) => `${name}@${range}`)
run('npm', ['install', '--install-links', '--no-audit', '--no-fund', ...packages, ...wanted])
copyFileSync(join(root, 'test', 'e2e', 'consumer', 'in-node.mjs'), join(folder, 'in-node.mjs'))
run(process.execPath, ['in-node.mjs'])
for (const { name, bin = {} } of manifests) {
  for (const file of Object.values(bin)) run(process.execPath, [join('node_modules', name, file), '--help'])
}
rmSync(folder, { recursive: true })
