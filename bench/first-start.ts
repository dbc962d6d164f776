/**
 * What the first `npm start` in a fresh clone installs, and how long it takes, with an empty npm cache.
 *
 *   npm run bench -- first-start [-- rounds]
 *
 * It clones the last commit, and needs the network. npm runs with the Node on the PATH outside of the project.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { anyPort, freePort, ROOT, signalGroup, stopGroup } from '../scripts/local-gate.ts'
import { markdownTable } from './markdown-table.ts'

const LONGEST_MS = 10 * 60_000
const rounds = Number(process.argv[2] ?? 3)
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.startsWith(ROOT))
  .join(delimiter)

const rows: string[][] = []
for (let round = 1; round <= rounds; round++) {
  const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-first-start-'))
  try {
    const clone = join(folder, 'clone')
    execFileSync('git', ['clone', '--quiet', ROOT, clone])
    const seconds = await startOnce(clone, join(folder, 'cache'))
    rows.push([
      String(round),
      seconds.toFixed(1),
      Math.round(diskBytes(join(clone, 'node_modules')) / 2 ** 20).toString(),
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(markdownTable(['round', 'seconds until the gate is up', 'node_modules, MiB on disk'], rows))

/** Starts the gate, and stops it once it is up. @returns seconds until then */
async function startOnce(clone: string, cache: string): Promise<number> {
  const port = await freePort(anyPort())
  // Without npm's variables of this process, above all its cache.
  const outside = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const began = performance.now()
  const child: ChildProcess = spawn('npm', ['start'], {
    cwd: clone,
    env: { ...Object.fromEntries(outside), PATH: path, PORT: String(port), npm_config_cache: cache },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => signalGroup(child, 'SIGKILL'))
  try {
    return await new Promise((resolve, reject) => {
      let output = ''
      const read = (piece: Buffer): void => {
        output += piece.toString()
        if (output.includes('The gate is up: ')) resolve((performance.now() - began) / 1000)
      }
      child.stdout?.on('data', read)
      child.stderr?.on('data', read)
      child.once('exit', () => reject(new Error(`npm start ended:\n${output}`)))
      setTimeout(() => reject(new Error(`npm start took too long:\n${output}`)), LONGEST_MS).unref()
    })
  } finally {
    await stopGroup(child, exited)
  }
}

/** Disk space of a folder, bytes; a file with several hard links counts once. */
function diskBytes(folder: string): number {
  const seen = new Set<number>()
  let bytes = 0
  for (const entry of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const { ino, blocks } = lstatSync(join(folder, entry))
    if (!seen.has(ino)) bytes += blocks * 512
    seen.add(ino)
  }
  return bytes
}
