/**
 * Runs a project script with the project's own Node, after installing what is missing. Plain JavaScript without imports
 * beyond Node 20, because it is the first script to run in a clean clone.
 *
 *   node scripts/run.mjs [--with=test,bench | --only=scripts/lint] scripts/start.ts [arguments]
 *
 * The root's package.json has the dependencies of `npm start`. Those that only tests, benchmarks or the kernel need are
 * in the package.json of their folder, a workspace: `--with` names folders to install with the root, `--with=all` means
 * all; `--only` leaves out the root.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Major version of Node that the scripts need; `scripts/node/package.json` pins the exact version. */
const NODE_MAJOR = 24

/** Minimum version for linter and formatter: any Node that runs TypeScript. */
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
    // For all child processes: wrangler, the compiler and the command line need a third less CPU time to load.
    NODE_COMPILE_CACHE: join(modules, '.cache', 'hono-rag-gate', 'compiled'),
    ...process.env,
    PATH: [dirname(node), join(modules, '.bin'), process.env.PATH].join(delimiter),
  },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// npm passes a signal only to its shell, which exits: this process is then orphaned.
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

/** Installs the wanted folders, optionally with the root and its Node, unless they are installed as in the lockfile. */
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
  // Not `npm ci`, which deletes existing packages first. The lockfile pins all versions.
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  // By name, because a path would also select the workspaces below it.
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

/** Links this checkout's packages to their sources by name: npm only links installed workspaces, and not the root. */
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

/** The installed Node; on a platform without a package, the running Node if it is new enough. */
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
