/**
 * Runs the unmodified test suites of the service's own clients against the embedded index in workerd.
 *
 *   npm run bench -- client-suites <checkout of vector-js> 'bun test src --timeout 20000' \
 *     <checkout of vector-py> 'python -m pytest tests' <checkout of vector-go> 'go test -v -count=1 ./...' \
 *     <checkout of vector-php> 'phpunit --testdox --colors=never tests'
 *
 * Each command runs in its checkout, with URLs and tokens in the environment variables of the four suites. Prints a
 * table and the failures; subtests are counted in addition to their test.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startLocalIndex } from '../scripts/local-index.ts'
import { markdownTable } from './markdown-table.ts'

/** The kinds of index that the clients need. Vectors of vector-js have 384 dimensions, those of the others two. */
const KINDS = {
  'dense-384': { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
  dense: { indexType: 'DENSE', dimension: 2 },
  sparse: { indexType: 'SPARSE', sparseEmbeddingModel: null },
  'sparse-embedding': { indexType: 'SPARSE' },
  hybrid: { indexType: 'HYBRID', dimension: 2 },
  embedding: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
  'hybrid-embedding': { indexType: 'HYBRID', embeddingModel: 'BGE_SMALL_EN_V1_5' },
}

/** How bun, pytest, `go test -v` and `phpunit --testdox` report passes and failures. */
const PASSED = /^ *(\d+) pass$|\b(\d+) passed\b|^ *--- PASS:|^ ✔ /gm
const FAILED = /^ *(\d+) fail$|\b(\d+) failed\b|^ *--- FAIL:|^ ✘ /gm
const FAILED_LINE = /^(?:\(fail\)|FAILED|ERROR| *--- FAIL:| ✘ ).*$/gm

interface Suite {
  readonly checkout: string
  readonly command: string
}

function suitesIn(args: readonly string[]): readonly Suite[] {
  if (args.length === 0 || args.length % 2 !== 0) throw new Error('Give checkouts, each followed by its command.')
  return args.flatMap((checkout, at) => (at % 2 === 0 ? [{ checkout, command: args[at + 1] ?? '' }] : []))
}

/** The variables of all four clients, two of which need different kinds of index under the same names. */
function variables(url: string, tokens: ReadonlyMap<string, string>, client: string): Record<string, string> {
  const dense = client.endsWith('js') ? 'dense-384' : 'dense'
  const embedding = client.endsWith('php') ? '-embedding' : ''
  const kinds = {
    '': dense,
    DENSE_: dense,
    SPARSE_: `sparse${embedding}`,
    HYBRID_: `hybrid${embedding}`,
    EMBEDDING_: 'embedding',
    DENSE_EMBEDDING_: 'embedding',
  }
  return Object.fromEntries(
    Object.entries({ ...kinds, HYBRID_EMBEDDING_: 'hybrid-embedding' }).flatMap(([prefix, kind]) =>
      ['', 'UPSTASH_VECTOR_REST_'].flatMap((infix) => [
        [`${prefix}${infix}URL`, `${url}/indexes/${kind}`],
        [`${prefix}${infix}TOKEN`, tokens.get(kind) ?? ''],
      ]),
    ),
  )
}

async function outputOf({ checkout, command }: Suite, env: Record<string, string>): Promise<string> {
  const child = spawn('sh', ['-c', `${command} 2>&1`], { cwd: checkout, env: { ...process.env, ...env } })
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
  // PHPUnit repeats failures at the end.
  return Buffer.concat(chunks).toString().split('Summary of non-successful tests:')[0]!
}

/** Two runners print totals, Go and PHP one line per test. */
function count(pattern: RegExp, output: string): number {
  return [...output.matchAll(pattern)].reduce((sum, [, bun, pytest]) => sum + Number(bun ?? pytest ?? 1), 0)
}

function commitOf(checkout: string): string {
  return spawnSync('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD']).stdout.toString().trim()
}

const suites = suitesIn(process.argv.slice(2))
const rows: string[][] = []
const stateDirectory = mkdtempSync(join(tmpdir(), 'rag-gate-clients-'))
const index = await startLocalIndex({ stateDirectory, indexes: KINDS })
try {
  for (const suite of suites) {
    const name = basename(suite.checkout)
    const env = variables(index.url, index.tokens, name)
    const output = await outputOf(suite, env)
    const failed = [...output.matchAll(FAILED_LINE)].map(([line]) => line)
    console.error([name, ...failed, ...(count(PASSED, output) === 0 ? [output] : [])].join('\n  '))
    rows.push([name, commitOf(suite.checkout), String(count(PASSED, output)), String(count(FAILED, output))])
  }
} finally {
  await index.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
}
console.log(markdownTable(['client', 'commit', 'passed', 'failed'], rows))
