/**
 * Runs a script of this project with the project's own Node, installing what is missing first. Plain JavaScript with
 * no imports beyond Node 20: it is the first thing that runs in a clean clone.
 *
 *   node scripts/run.mjs scripts/start.ts [arguments]
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const stamp = join(root, 'node_modules', '.installed-lockfile')
const lockfile = readFileSync(join(root, 'package-lock.json'), 'utf8')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lockfile) {
  console.log('Installing dependencies …')
  // Not `npm ci`: it insists on lock entries for the binaries of every other platform. The lockfile pins all versions.
  const install = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (install.status !== 0) process.exit(install.status ?? 1)
  writeFileSync(stamp, lockfile)
}

const child = spawn(join(bin, 'node'), process.argv.slice(2), {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// npm passes a signal to its shell only, and the shell dies with it: then nobody waits for this process any more.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) child.kill('SIGTERM')
}, 500)
watch.unref()
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
