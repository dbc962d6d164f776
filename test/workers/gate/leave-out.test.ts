import { describe, expect, it } from 'vitest'
import { leaveOut } from '../../../workers/gate/leave-out.ts'
import { aRanking } from '../../fixtures/evidence.ts'

describe('leaveOut', () => {
  it("removes passages by their own id or their document's, and keeps the order of the others", () => {
    const ranking = aRanking('bm25', [3, 2, 1])
    const ids = (without: readonly string[]) =>
      leaveOut([ranking], without)[0]?.entries.map(({ passage }) => passage.id)
    expect(ids([])).toEqual(['bm25-0', 'bm25-1', 'bm25-2'])
    expect(ids(['bm25-1'])).toEqual(['bm25-0', 'bm25-2'])
    expect(ids(['document of bm25-0', 'unknown'])).toEqual(['bm25-1', 'bm25-2'])
  })
})
