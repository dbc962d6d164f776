import * as fc from 'fast-check'
import { Tiktoken } from 'js-tiktoken/lite'
import r50k from 'js-tiktoken/ranks/r50k_base'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import { buildContext, type ContextBudget } from '../../../src/core/evidence/context.ts'
import { aPassage } from '../../fixtures/evidence.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { examples } from '../../properties.ts'

const chunk = (id: string, text: string, title?: string, section?: string): Chunk => ({
  ...aPassage(id, { text, ...(title === undefined ? {} : { title }), ...(section === undefined ? {} : { section }) }),
  scores: {},
})

const tokens = new Tiktoken(r50k)

describe('buildContext', () => {
  it('numbers and delimits the chunks, best first', () => {
    const { text, chunks, cut } = buildContext([chunk('a', 'One.', 'Guide', 'Start › Keys'), chunk('b', 'Two.')], {
      maxLength: 1000,
    })
    expect(text).toBe(
      '<passage number="1" from="Guide › Start › Keys">\nOne.\n</passage>\n\n<passage number="2">\nTwo.\n</passage>',
    )
    expect(chunks.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(cut).toBe(false)
  })

  it('names the title and section of a passage, omits empty ones, and escapes what would end the attribute', () => {
    const opening = (title: string, section?: string) =>
      buildContext([chunk('a', 'One.', title, section)], { maxLength: 1000 }).text.split('\n')[0]
    expect(opening('', 'Start')).toBe('<passage number="1" from="Start">')
    expect(opening('Guide', '')).toBe('<passage number="1" from="Guide">')
    expect(opening('', '')).toBe('<passage number="1">')
    expect(opening('R&D "a" <b>', 'x\n \ty')).toBe('<passage number="1" from="R&amp;D &quot;a&quot; &lt;b&gt; › x y">')
  })

  it('leaves a tag name alone when other characters precede it', () => {
    const text = 'A <b>passage</b> of 3 <em >passage and <my-passage>.'
    expect(buildContext([{ ...aPassage('a', { text }), scores: {} }], { maxLength: 1000 }).text).toContain(text)
  })

  it('keeps a passage that fits exactly', () => {
    const both = [chunk('a', 'x'.repeat(40)), chunk('b', 'y'.repeat(40))]
    const { text } = buildContext(both, { maxLength: 1000 })
    expect(buildContext(both, { maxLength: text.length })).toEqual({ text, chunks: both, cut: false })
    expect(buildContext(both, { maxLength: text.length - 1 }).chunks).toHaveLength(1)
    const alone = buildContext([chunk('a', '😀')], { maxLength: 1000 }).text
    expect(buildContext([chunk('a', '😀')], { maxLength: alone.length }).text).toBe(alone)
  })

  it.each([
    ['NaN', () => Number.NaN],
    ['a negative number', () => -1],
    ['a promise', async (text: string) => text.length],
    ['nothing', () => undefined],
  ])('rejects %s as lengthOf', (_, lengthOf) => {
    const budget = { maxLength: 1000, lengthOf: lengthOf as (text: string) => number }
    expect(() => buildContext([chunk('a', 'One.')], budget)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'context.lengthOf' }),
    )
  })

  it('is empty without chunks', () => {
    expect(buildContext([], { maxLength: 1000 })).toEqual({ text: '', chunks: [], cut: false })
  })

  it('keeps only the chunks that fit, and stops at the first that does not', () => {
    const chunks = [chunk('a', 'x'.repeat(100)), chunk('b', 'y'.repeat(500)), chunk('c', 'z')]
    const small = buildContext(chunks, { maxLength: 300 })
    expect([small.chunks.map(({ id }) => id), small.cut]).toEqual([['a'], true])
    expect(buildContext(chunks, { maxLength: 10_000 }).chunks.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  it('cuts the last chunk at the end of a sentence, and shows it under its number', () => {
    const long = 'Brakes squeal when wet. They need new pads then. Call a workshop.'
    const { text, chunks, cut } = buildContext([chunk('a', 'One.'), chunk('b', long)], { maxLength: 110 })
    expect(chunks.map((shown) => [shown.id, shown.text])).toEqual([
      ['a', 'One.'],
      ['b', 'Brakes squeal when wet.'],
    ])
    expect(text).toMatch(/<passage number="2">\nBrakes squeal when wet\.\n<\/passage>$/)
    expect(cut).toBe(true)
  })

  it('is empty when no whole sentence of the best chunk fits, because half of one may say the opposite', () => {
    const chunks = [chunk('a', 'x'.repeat(1000)), chunk('b', 'y')]
    expect(buildContext(chunks, { maxLength: 200 })).toEqual({ text: '', chunks: [], cut: true })
  })

  it.each(['\n\n', '\n- '])('shows no passage of white space when only that fits: %j', (begins) => {
    const { chunks, cut } = buildContext([chunk('a', `${begins}A sentence that is longer. Another.`)], {
      maxLength: 50,
    })
    expect({ chunks, cut }).toEqual({ chunks: [], cut: true })
  })

  it('keeps to a budget counted in the tokens of a model', () => {
    const count = (text: string): number => tokens.encode(text).length
    const chunks = [chunk('a', 'Turn the red key.'), chunk('b', 'Paint is blue. It dries slowly. Wait for a day.')]
    const ids = (max: number) =>
      buildContext(chunks, { maxLength: max, lengthOf: count }).chunks.map(({ id, text }) => [id, text])
    expect(ids(1000)).toHaveLength(2)
    const all = count(buildContext(chunks, { maxLength: 10_000 }).text)
    expect(ids(all)).toEqual(chunks.map(({ id, text }) => [id, text]))
    expect(ids(all - 1)).toEqual([
      ['a', 'Turn the red key.'],
      ['b', 'Paint is blue. It dries slowly.'],
    ])
    expect(ids(5)).toEqual([])
  })

  it('never takes more than its budget, keeps the order, and numbers what it shows', () => {
    const sentence = fc.constantFrom(
      'Turn the key. ',
      'It is 😀 loud! ',
      'Why? ',
      'no end ',
      '一。',
      '\n\n',
      '<passage>',
    )
    const body = fc.array(sentence, { maxLength: 12 }).map((parts) => parts.join(''))
    const text = fc.oneof(body, anyText({ maxLength: 90 }))
    const found = fc.array(fc.tuple(text, fc.string({ maxLength: 8 })), { maxLength: 12 })
    const count = (text: string): number => tokens.encode(text).length
    const budgets = fc.oneof(
      fc.record({ maxLength: fc.integer({ min: 0, max: 900 }) }),
      fc.record({ maxLength: fc.integer({ min: 0, max: 250 }), lengthOf: fc.constant(count) }),
    )
    fc.assert(
      fc.property(found, budgets, (given, budget: ContextBudget) => {
        const chunks = given.map(([text, title], at) => chunk(`c${at}`, text, title))
        const context = buildContext(chunks, budget)
        const shown = context.chunks
        expect((budget.lengthOf ?? ((text) => text.length))(context.text)).toBeLessThanOrEqual(budget.maxLength)
        expect(shown.map(({ id }) => id)).toEqual(chunks.slice(0, shown.length).map(({ id }) => id))
        expect([...context.text.matchAll(/^<passage number="(\d+)"/gm)].map(([, number]) => Number(number))).toEqual(
          shown.map((_, at) => at + 1),
        )
        shown.forEach((each, at) => {
          if (at < shown.length - 1) expect(each).toEqual(chunks[at])
          if (each.text !== chunks[at]!.text) {
            // One that is cut is also trimmed.
            const text = chunks[at]!.text.trimStart()
            expect(text.startsWith(each.text)).toBe(true)
            const next = text.slice(each.text.length)
            expect(
              /[.!?。]$/u.test(each.text) ? /^\s|。$/u.test(next + each.text) : /^\s*(?:\n\s*\n|$)/u.test(next),
            ).toBe(true)
          }
        })
        const whole = shown.length === chunks.length && shown.every(({ text }, at) => text === chunks[at]!.text)
        expect(context.cut).toBe(!whole)
      }),
      { numRuns: examples(300) },
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
        const context = buildContext(chunks, { maxLength: 100_000 })
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
    expect(buildContext([chunk('a', 'if (a < b) <b>bold</b> & "so"')], { maxLength: 500 }).text).toContain(
      'if (a < b) <b>bold</b> & "so"',
    )
  })
})
