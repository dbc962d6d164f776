/**
 * Draws the module structure from imports, including types: rooms, floors and cycles, now or at a commit.
 *
 *   node scripts/run.mjs scripts/house.ts [commit]
 *
 * A room is a folder; a file outside of any folder is its own room. The floor of a room is the length of the longest
 * import chain below it; rooms that import each other are a cycle.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { ROOT } from './local-gate.ts'

/** Imported files by path. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** Rooms by floor. */
export interface Drawing {
  readonly rooms: readonly string[]
  /** From the lowest up, names sorted. */
  readonly floors: readonly (readonly string[])[]
  /** Cycles, each with its sorted rooms. */
  readonly circles: readonly (readonly string[])[]
}

/** Targets of the packages' public names in a checkout; a `*` stands for one part of a path. */
function publicNames(): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const manifest of ['package.json', ...globSync('packages/*/package.json', { cwd: ROOT })]) {
    const { name, exports } = JSON.parse(readFileSync(join(ROOT, manifest), 'utf8')) as {
      name: string
      exports: Record<string, string | null>
    }
    for (const [door, file] of Object.entries(exports)) {
      if (file !== null) names.set(posix.join(name, door), posix.join(posix.dirname(manifest), file))
    }
  }
  return names
}

/** The source file of an import, by path from the root. */
function targetOf(from: string, imported: string, names: ReadonlyMap<string, string>): string {
  if (imported.startsWith('.')) return posix.normalize(posix.join(posix.dirname(from), imported))
  const own = names.get(imported)
  if (own !== undefined) return own
  for (const [name, file] of names) {
    const [before = '', after] = name.split('*')
    if (after !== undefined && imported.startsWith(before)) return file.replace('*', imported.slice(before.length))
  }
  return imported
}

/**
 * Reads the imports of the sources in some folders, including those by public package names; from the working tree, or
 * from a commit (relative imports only).
 */
export function readImports(folders: readonly string[], commit?: string): Imports {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e9 })
  const listed =
    commit === undefined ? git('ls-files', ...folders) : git('ls-tree', '-r', '--name-only', commit, ...folders)
  const files = listed.split('\n').filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  const known = new Set(files)
  const read = (path: string): string =>
    commit === undefined ? readFileSync(join(ROOT, path), 'utf8') : git('show', `${commit}:${path}`)
  const names = commit === undefined ? publicNames() : new Map<string, string>()
  return new Map(
    files.map((path) => {
      const found = [...read(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)]
      const targets = found.map(([, to = '']) => targetOf(path, to, names))
      return [path, new Set(targets.filter((target) => known.has(target)))]
    }),
  )
}

/** @param roomOf the room of a file; `undefined` leaves the file out */
export function draw(imports: Imports, roomOf: (path: string) => string | undefined): Drawing {
  const edges = new Map<string, Set<string>>()
  for (const [path, targets] of imports) {
    const room = roomOf(path)
    if (room === undefined) continue
    const below = edges.get(room) ?? new Set()
    edges.set(room, below)
    for (const target of targets) {
      const other = roomOf(target)
      if (other !== undefined && other !== room) below.add(other)
    }
  }
  const reached = new Map([...edges.keys()].map((room) => [room, reachable(edges, room)]))
  const circleOf = (room: string): string[] =>
    [...edges.keys()].filter((other) => other === room || both(reached, room, other)).sort()
  const floorOf = new Map<string, number>()
  const floor = (room: string): number => {
    const known = floorOf.get(room)
    if (known !== undefined) return known
    const circle = circleOf(room)
    const below = circle.flatMap((one) => [...edges.get(one)!]).filter((other) => !circle.includes(other))
    const height = below.length === 0 ? 0 : 1 + Math.max(...below.map(floor))
    for (const one of circle) floorOf.set(one, height)
    return height
  }
  const rooms = [...edges.keys()].sort()
  const floors: string[][] = []
  for (const room of rooms) (floors[floor(room)] ??= []).push(room)
  const circles = new Map(rooms.map(circleOf).map((circle) => [circle.join(), circle]))
  return { rooms, floors, circles: [...circles.values()].filter(({ length }) => length > 1) }
}

function reachable(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [from]
  for (let room = open.pop(); room !== undefined; room = open.pop()) {
    for (const next of edges.get(room) ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      open.push(next)
    }
  }
  return seen
}

function both(reached: ReadonlyMap<string, ReadonlySet<string>>, one: string, other: string): boolean {
  return reached.get(one)!.has(other) && reached.get(other)!.has(one)
}

/** The drawings in docs/architecture.md. */
export const DRAWINGS: Readonly<Record<string, (path: string) => string | undefined>> = {
  files: (path) => path,
  core: (path) => (path.startsWith('src/core/') ? path.split('/')[2] : undefined),
  house: (path) => {
    const [top = '', folder = ''] = path.split('/')
    return top === 'src' ? folder : top === 'd1' ? top : `${top}/${folder}`
  },
}

if (import.meta.main) {
  const imports = readImports(['src', 'd1', 'packages', 'workers'], process.argv[2])
  for (const [name, roomOf] of Object.entries(DRAWINGS)) {
    const { rooms, floors, circles } = draw(imports, roomOf)
    console.log(`\n${name}: ${rooms.length} rooms on ${floors.length} floors, ${circles.length} circles`)
    for (const circle of circles) console.log(`  circle of ${circle.length}: ${circle.join(', ')}`)
    if (name !== 'files') for (const floor of floors.toReversed()) console.log(`  ${floor.join(', ')}`)
  }
}
