/**
 * Runs a script of this project with the project's own Node, installing first what is missing. Plain JavaScript with
 * no imports beyond Node 20: it is the first thing that runs in a clean clone.
 *
 *   node scripts/run.mjs [--with=test,bench | --only=scripts/lint] scripts/start.ts [arguments]
 *
 * The root's package.json holds what `npm start` needs. What only tests, benches or the kernel need stands in the
 * package.json of their folder, a workspace: `--with` names the folders beside the root, `--with=all` means every one of
 * them; `--only` leaves the root out.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Major version of Node that the scripts are written for; `scripts/node/package.json` pins the exact one. */
const NODE_MAJOR = 24

/** Linter and formatter run on any Node that reads TypeScript. */
const READS_TYPESCRIPT = [22, 18]

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'node_modules')
const { which, folders, script } = readArguments(process.argv.slice(2))
install(which, folders)
linkPackages()
const node = which === 'only' && readsTypeScript() ? process.execPath : findNode()

const child = spawn(node, script, {
  cwd: root,
  stdio: 'inherit',
  env: {
    // Of all that is started: wrangler, the compiler and the command line take a third less of a processor to load.
    NODE_COMPILE_CACHE: join(modules, '.cache', 'hono-rag-gate', 'compiled'),
    ...process.env,
    PATH: [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter),
  },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// npm passes a signal to its shell only, and the shell dies with it: this process has no parent then.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid !== parent) child.kill('SIGTERM')
}, 500)
watch.unref()
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))

function readArguments([option, ...others]) {
  const [, which = 'with', list] = /^--(with|only)=(.+)$/.exec(option ?? '') ?? []
  return list === undefined
    ? { which, folders: [], script: process.argv.slice(2) }
    : { which, folders: list.split(','), script: others }
}

function readsTypeScript() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > READS_TYPESCRIPT[0] || (major === READS_TYPESCRIPT[0] && minor >= READS_TYPESCRIPT[1])
}

/** Installs the wanted folders, and the root and its Node beside them or not, unless they are there as the lockfile has them. */
function install(which, wanted) {
  const stamp = join(modules, '.installed.json')
  const lockfile = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const known = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { lockfile: '', folders: [] }
  const before = known.lockfile === lockfile ? known.folders : []
  const basis = which === 'with' ? ['.', 'scripts/node'] : readsTypeScript() ? [] : ['scripts/node']
  const needed = wanted.includes('all') ? workspaces : [...basis, ...wanted]
  if (needed.every((folder) => before.includes(folder))) return
  const folders = [...new Set([...before, ...needed])]
  console.log('Installing dependencies …')
  // Not `npm ci`: it removes what is there first. The lockfile pins all versions.
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  // By its name: a path would choose the workspaces within as well.
  const nameOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).name
  const chosen = folders.map((folder) =>
    folder === '.' ? '--include-workspace-root' : `--workspace=${nameOf(folder)}`,
  )
  const { status } = spawnSync('npm', ['install', ...quiet, ...chosen], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, JSON.stringify({ lockfile, folders }))
}

/**
 * The packages of this checkout under their names, which lead to the sources: npm links workspaces alone, not the root, and
 * of those only the ones that are installed.
 */
function linkPackages() {
  const folders = readdirSync(join(root, 'packages')).map((name) => [`@hono-rag-gate/${name}`, join('packages', name)])
  for (const [name, folder] of [['hono-rag-gate', '.'], ...folders]) {
    const link = join(modules, ...name.split('/'))
    if (existsSync(join(link, 'package.json'))) continue
    rmSync(link, { recursive: true, force: true })
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(relative(dirname(link), join(root, folder)), link, 'junction')
  }
}

/** The Node that was installed; on a platform that npm has none for, the one that runs this, if it is new enough. */
function findNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  const installed = join(modules, `node-${platform}-${process.arch}`, 'bin', file)
  if (existsSync(installed)) return installed
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath
  console.error(
    `On ${platform} ${process.arch} this needs Node ${NODE_MAJOR} or newer; it runs with ${process.version}.`,
  )
  process.exit(1)
}
