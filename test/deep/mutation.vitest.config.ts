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

/** The tests that can kill a mutant of core: in plain Node, properties with their fixed seed. `MUTATION_TESTS` says which. */
export default defineConfig({
  test: {
    include: [process.env['MUTATION_TESTS'] ?? 'test/core/**/*.test.ts'],
    testTimeout: 30_000,
    setupFiles: ['test/properties.ts'],
    sequence: { sequencer: SmallestFirst },
  },
})
