import { expect, it } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { answerPurgesContract } from '../contracts/answer-purges.ts'
import { growth, PROPORTION } from '../growth.ts'

answerPurgesContract('createMemoryAnswerPurges', createMemoryAnswerPurges)

it('a purge takes as long whether or not it removes the oldest', async () => {
  const purgeEach = async (documentIds: string): Promise<void> => {
    const purges = createMemoryAnswerPurges()
    for (let at = 0; at < documentIds.length; at++)
      await purges.purge([{ kind: 'document', tenant: 'acme', collection: 'manual', documentId: String(at) }])
  }
  expect(await growth(purgeEach, 'x', 16_000)).toBeLessThan(PROPORTION)
})
