/**
 * Runs a benchmark by its name, with further arguments:
 *
 *   npm run bench -- sizes
 *
 * Without a name it lists them all, each with its first sentence.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './check.ts'
import { ROOT } from './local-gate.ts'

const BENCHES = join(ROOT, 'bench')

/** The benchmarks in a folder: files whose docstring states how to run them. */
function benchesIn(folder: string): readonly (readonly [name: string, sentence: string])[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap((file) => {
      const name = file.slice(0, -'.ts'.length).replaceAll('\\', '/')
      const source = readFileSync(join(folder, file), 'utf8')
      if (!source.includes(`npm run bench -- ${name}`)) return []
      const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? []
      const text = comment
        .replaceAll(/^\s*\*? ?/gm, '')
        .replaceAll(/\s+/g, ' ')
        .replace(/^ ?`npm run bench[^`]*`: /, '')
      return [[name, /^\s?.*?[.:](?=\s|$)/.exec(text)?.[0].trim() ?? text] as const]
    })
}

// npm removes the first `--`; remove the one before the benchmark's arguments too.
const [name, ...given] = process.argv.slice(2).filter((argument) => argument !== '--')
if (name === undefined) {
  for (const [bench, sentence] of benchesIn(BENCHES)) console.log(`${bench.padEnd(30)} ${sentence}`)
} else if (/^[\w/-]+$/.test(name) && existsSync(join(BENCHES, `${name}.ts`))) {
  process.exitCode = run(`bench/${name}.ts`, given) ? 0 : 1
} else {
  console.error(`There is no bench ${name}; npm run bench lists them`)
  process.exitCode = 2
}
