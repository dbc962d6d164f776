import { realpathSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import everyday from '../../vitest.config.ts'

/** Small files first: the first failing test kills a mutant, and large files run many examples. */
class SmallestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bytes = ({ moduleId }: TestSpecification): number => statSync(moduleId).size
    return Promise.resolve([...files].sort((a, b) => bytes(a) - bytes(b)))
  }
}

/** The mutated copy of the repository, and the repository, whose dependencies are linked. */
const COPY = join(import.meta.dirname, '../..')
const REPOSITORY = dirname(realpathSync(join(COPY, 'node_modules')))

/** Packages import each other by names of dependencies: these resolve to the copy. */
const namedSources: Plugin = {
  name: 'named-sources',
  enforce: 'pre',
  async resolveId(name, importer) {
    if (!/^@?hono-rag-gate(?:\/|$)/.test(name)) return null
    const found = await this.resolve(name, importer, { skipSelf: true })
    return found && (found.id.startsWith(COPY) ? found : join(COPY, relative(REPOSITORY, found.id)))
  },
}

/** Globs of the tests that may kill, set by `mutation.ts`. */
const tests = JSON.parse(process.env['MUTATION_TESTS'] ?? '["test/core/**/*.test.ts"]') as string[]
/** These need nothing of workerd but database, index or the parser of HTML. */
const IN_NODE = /^test\/(?:console|ingest)\//
const inWorkerd = tests.filter((glob) => glob.endsWith('.workerd.ts') && !IN_NODE.test(glob))
const readsHtml = tests.some((glob) => glob.startsWith('test/ingest/markdown/'))

// Each is an object there.
const [workerd] = ((everyday.test?.projects ?? []) as TestProjectInlineConfiguration[]).filter(
  ({ test }) => test?.name === 'workerd',
)

/** The tests that can kill a mutant: in plain Node, property tests with their fixed seed; and in workerd. */
export default defineConfig({
  test: {
    sequence: { sequencer: SmallestFirst },
    projects: [
      {
        plugins: [namedSources],
        test: {
          name: 'node',
          alias: { 'cloudflare:workers': join(COPY, 'test/deep/workerd-in-node.ts') },
          include: tests.filter((glob) => !inWorkerd.includes(glob)),
          testTimeout: 30_000,
          isolate: false,
          setupFiles: ['test/properties.ts', ...(readsHtml ? ['test/deep/html-rewriter-in-node.ts'] : [])],
          globalSetup: readsHtml ? ['test/deep/html-reporter.ts'] : [],
        },
      },
      ...(inWorkerd.length === 0
        ? []
        : [{ plugins: [namedSources, ...(workerd?.plugins ?? [])], test: { ...workerd?.test, include: inWorkerd } }]),
    ],
  },
})
