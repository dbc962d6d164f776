import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { DEEP } from './test/deep-run.ts'

const CORES = availableParallelism()

/** The plugin brings workerd: only who runs tests there needs it. */
const NEEDS_WORKERD = !process.argv.includes('--project') || process.argv.includes('workerd')
const plugin = NEEDS_WORKERD ? await import('@cloudflare/vitest-plugin') : undefined

/** Files that only deep runs read. */
const NOT_DEEP = DEEP ? [] : ['**/*.deep.test.ts']

/** Node reads TypeScript by itself, and no test asks for what Vite would add: that would take 15 s more of a processor. */
const BY_NODE = { viteModuleRunner: false, nodeLoader: false }

/** Files that take far longer than they are long, by which vitest sorts: they begin first, so that the others do not wait for one. */
const LONG =
  /\/(simulation|canaries|chat|cli|consumer|dashboard-access|dashboard-use|deploy|openapi|page-answers|page-streams|start|jobs|learn-scale|many-tenants|database-outage)\.(test|workerd)\.ts$/

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}

/** Pure code and Node in one project, everything that needs a Worker's runtime in another, whole journeys in a third. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    maxWorkers: CORES,
    projects: [
      {
        test: {
          name: 'node',
          experimental: BY_NODE,
          execArgv: ['--import', new URL('test/drizzle-as-commonjs.ts', import.meta.url).href],
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', ...NOT_DEEP],
          // Properties run hundreds of examples, or thousands, on machines that others use as well.
          testTimeout: DEEP ? 300_000 : 30_000,
          setupFiles: ['test/properties.ts'],
          // A process for each of 285 files would spend half of the time on loading modules: a file cleans up after itself.
          isolate: false,
        },
      },
      ...(plugin === undefined
        ? []
        : [
            {
              plugins: [
                plugin.cloudflareTest(async () => ({
                  main: './test/worker.ts',
                  wrangler: { configPath: './wrangler.toml' },
                  miniflare: {
                    durableObjects: { VECTOR_INDEX: { className: 'VectorIndex', useSQLite: true } },
                    queueProducers: { TEST_QUEUE: 'test-decisions' },
                    queueConsumers: { 'test-decisions': { maxBatchSize: 50, maxBatchTimeout: 1 } },
                    kvNamespaces: ['ANSWERS'],
                    ratelimits: { TEST_REQUEST_LIMIT: { namespace_id: 'test', simple: { limit: 3, period: 60 } } },
                    r2Buckets: ['TEST_EXPORTS'],
                    bindings: {
                      TEST_DEEP: DEEP,
                      TEST_MIGRATIONS: await plugin.readD1Migrations('d1/migrations'),
                      ADMIN_TOKEN: 'test-admin-token-0123456789abcdef0123456789abcdef',
                      VECTOR_INDEXES: {
                        default: {},
                        dense: { indexType: 'DENSE', dimension: 2 },
                        sparse: { indexType: 'SPARSE' },
                        hybrid: { indexType: 'HYBRID', dimension: 2 },
                        embedding: { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
                      },
                      QUESTION_HMAC_KEY: 'test-hmac-key-0123456789abcdef0123456789abcdef',
                    },
                  },
                })),
              ],
              test: {
                name: 'workerd',
                testTimeout: 60_000,
                include: ['test/**/*.workerd.ts'],
                // As above; `test/migrate.ts` empties what outlives a file.
                isolate: false,
                setupFiles: ['test/migrate.ts'],
              },
            },
          ]),
      {
        test: {
          name: 'e2e',
          experimental: BY_NODE,
          include: ['test/e2e/**/*.test.ts'],
          exclude: NOT_DEEP,
          globalSetup: ['test/e2e/bundle-gate.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // What a page shows may wait for a Worker on a machine that others use as well.
          expect: { poll: { timeout: 20_000, interval: 100 } },
          // A Worker for each file, and a browser for each process, which wait much: as many at a time as keep two cores busy.
          isolate: false,
          maxWorkers: 2 * CORES,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
