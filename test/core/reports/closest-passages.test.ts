import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import { closestPassages } from '../../../src/core/reports/closest-passages.ts'

const chunk = (documentId: string, more: Partial<Chunk> = {}): Chunk => ({
  id: `${documentId}-${more.section ?? ''}`,
  documentId,
  text: 'secret text',
  scores: { bm25: 3.25 },
  ...more,
})

describe('closestPassages', () => {
  it('names the best places, each once, in order', () => {
    const chunks = [
      chunk('a.md', { title: 'Alpha', section: 'Alpha › One', source: 'docs/a.md' }),
      chunk('a.md', { title: 'Alpha', section: 'Alpha › One' }),
      chunk('a.md', { title: 'Alpha', section: 'Alpha › Two' }),
      chunk('b.md'),
      chunk('c.md'),
    ]
    expect(closestPassages(chunks, { count: 3, audience: 'operator' })).toEqual([
      { title: 'Alpha', section: 'Alpha › One', source: 'docs/a.md' },
      { title: 'Alpha', section: 'Alpha › Two' },
      { title: 'b.md' },
    ])
  })

  it('shows the public only titles, each once, and omits documents without a title', () => {
    const chunks = [
      chunk('secret.md', { section: 'Secret', source: 'docs/secret.md' }),
      chunk('a.md', { title: 'Alpha', section: 'Alpha › One', source: 'docs/a.md' }),
      chunk('a.md', { title: 'Alpha', section: 'Alpha › Two' }),
      chunk('c.md', { title: 'Gamma' }),
      chunk('d.md', { title: 'Delta' }),
    ]
    expect(closestPassages(chunks, { count: 2, audience: 'public' })).toEqual([{ title: 'Alpha' }, { title: 'Gamma' }])
  })

  it('contains neither texts nor figures', () => {
    expect(JSON.stringify(closestPassages([chunk('a.md')], { count: 3, audience: 'operator' }))).toBe(
      '[{"title":"a.md"}]',
    )
  })

  it.each([
    [[], 3],
    [[chunk('a.md')], 0],
  ])('is empty for %j with a count of %i', (chunks, count) => {
    for (const audience of ['operator', 'public'] as const) {
      expect(closestPassages(chunks, { count, audience })).toEqual([])
    }
  })
})
