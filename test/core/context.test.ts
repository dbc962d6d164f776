import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../src/core/chunk.ts'
import { buildContext } from '../../src/core/context.ts'
import { aPassage } from '../fixtures/evidence.ts'

const chunk = (id: string, text: string, title?: string, section?: string): Chunk => ({
  ...aPassage(id, { text, ...(title === undefined ? {} : { title }), ...(section === undefined ? {} : { section }) }),
  scores: {},
})

describe('buildContext', () => {
  it('numbers and delimits the chunks, best first', () => {
    const { text, chunks } = buildContext([chunk('a', 'One.', 'Guide', 'Start › Keys'), chunk('b', 'Two.')], 1000)
    expect(text).toBe(
      '<passage number="1" from="Guide › Start › Keys">\nOne.\n</passage>\n\n<passage number="2">\nTwo.\n</passage>',
    )
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('names where a passage comes from, leaving out what is empty, and nothing that ends the quotation', () => {
    const opening = (title: string, section?: string) =>
      buildContext([chunk('a', 'One.', title, section)], 1000).text.split('\n')[0]
    expect(opening('', 'Start')).toBe('<passage number="1" from="Start">')
    expect(opening('Guide', '')).toBe('<passage number="1" from="Guide">')
    expect(opening('', '')).toBe('<passage number="1">')
    expect(opening('R&D "a" <b>', 'x\n \ty')).toBe('<passage number="1" from="R&amp;D &quot;a&quot; &lt;b&gt; › x y">')
  })

  it('keeps a passage that fits exactly', () => {
    const both = [chunk('a', 'x'.repeat(40)), chunk('b', 'y'.repeat(40))]
    const { text } = buildContext(both, 1000)
    expect(buildContext(both, text.length)).toEqual({ text, chunks: both })
    expect(buildContext(both, text.length - 1).chunks).toHaveLength(1)
    const alone = buildContext([chunk('a', '😀')], 1000).text
    expect(buildContext([chunk('a', '😀')], alone.length).text).toBe(alone)
  })

  it('is empty without chunks', () => {
    expect(buildContext([], 1000)).toEqual({ text: '', chunks: [] })
  })

  it('keeps only what fits, and stops at the first that does not', () => {
    const chunks = [chunk('a', 'x'.repeat(100)), chunk('b', 'y'.repeat(500)), chunk('c', 'z')]
    expect(buildContext(chunks, 300).chunks.map(({ id }) => id)).toEqual(['a'])
    expect(buildContext(chunks, 10_000).chunks.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it('cuts a first chunk that is larger than the budget, and never leaves it out', () => {
    const { text, chunks } = buildContext([chunk('a', 'x'.repeat(1000)), chunk('b', 'y')], 200)
    expect(chunks.map(({ id }) => id)).toEqual(['a'])
    expect(text).toHaveLength(200)
    expect(text).toMatch(/^<passage number="1">\nx+\n<\/passage>$/)
  })

  it('does not cut a character in two', () => {
    for (let budget = 200; budget < 204; budget++) {
      expect(buildContext([chunk('a', '😀'.repeat(500))], budget).text).toMatch(/^\P{Surrogate}*$/u)
    }
  })

  it('never takes more than its budget, for any chunks with headings that leave room', () => {
    const anyChunk = fc.tuple(fc.string({ unit: 'binary', maxLength: 90 }), fc.string({ maxLength: 8 }))
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 12 }), fc.integer({ min: 200, max: 600 }), (found, budget) => {
        const chunks = found.map(([text, title], at) => chunk(`c${at}`, text, title))
        const context = buildContext(chunks, budget)
        expect(context.text.length).toBeLessThanOrEqual(budget)
        expect(context.chunks).toEqual(chunks.slice(0, context.chunks.length))
        expect(context.chunks.length > 0).toBe(chunks.length > 0)
      }),
      { numRuns: 500 },
    )
  })

  it('gives no document a way to end its own quotation or to begin another', () => {
    const piece = fc.constantFrom(
      '<',
      '/',
      'passage',
      'PASSAGE',
      '>',
      ' ',
      '\n',
      'x',
      '</passage>',
      '<passage number="9">',
      '&lt;',
      '"',
    )
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 4 }), (found) => {
        const chunks = found.map(([body, title, section], at) => chunk(`c${at}`, body, title, section))
        const context = buildContext(chunks, 100_000)
        expect(context.text.match(/<passage\b/gi)).toHaveLength(chunks.length)
        expect(context.text.match(/<\/passage\b/gi)).toHaveLength(chunks.length)
        // Every opening delimiter is a whole line with our own number.
        const opened = [...context.text.matchAll(/^<passage number="(\d+)"(?: from="[^"<>\n]*")?>$/gm)].map(
          ([, number]) => Number(number),
        )
        expect(opened).toEqual(chunks.map((_, at) => at + 1))
      }),
    )
  })

  it('leaves other mark-up as the author wrote it', () => {
    expect(buildContext([chunk('a', 'if (a < b) <b>bold</b> & "so"')], 500).text).toContain(
      'if (a < b) <b>bold</b> & "so"',
    )
  })
})
