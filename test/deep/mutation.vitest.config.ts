import { statSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Small files first: the first test that fails kills a mutant, and the large ones draw many examples. */
class SmallestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bytes = ({ moduleId }: TestSpecification): number => statSync(moduleId).size
    return Promise.resolve([...files].sort((a, b) => bytes(a) - bytes(b)))
  }
}

/** Globs of the tests that may kill, as `mutation.ts` gives them. */
const include = JSON.parse(process.env['MUTATION_TESTS'] ?? '["test/core/**/*.test.ts"]') as string[]

/** The tests that can kill a mutant of core: in plain Node, properties with their fixed seed. */
export default defineConfig({
  test: {
    include,
    testTimeout: 30_000,
    setupFiles: ['test/properties.ts'],
    sequence: { sequencer: SmallestFirst },
  },
})
