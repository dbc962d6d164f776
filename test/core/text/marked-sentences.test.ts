import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinSmallest, markedSentences, opened, partsAtMarks } from '../../../src/core/text/marked-sentences.ts'

const FORTY = 'that what stands here is forty of signs.'

describe('opened', () => {
  it.each([
    [`He said "${FORTY}" so`, `He said ; ${FORTY};  so`],
    [`Er sagt „${FORTY}“ so`, `Er sagt ; ${FORTY};  so`],
    [`See (${FORTY}) and [${FORTY}]`, `See ; ${FORTY};  and ; ${FORTY}; `],
    ['Keys (which ones?) rotate', 'Keys ; which ones?;  rotate'],
    ['Keys [ which ones? ] rotate', 'Keys ;  which ones?;  rotate'],
    [`He said "${FORTY.slice(1)}" so`, `He said "${FORTY.slice(1)}" so`],
    ['Keys (all of them) rotate', 'Keys (all of them) rotate'],
    ['Keys "which ones?" rotate', 'Keys "which ones?" rotate'],
  ])('puts marks around quotations and asides that may be parts: %j is %j', (text, expected) => {
    expect(FORTY).toHaveLength(40)
    expect(opened(text)).toBe(expected)
  })
})

describe('markedSentences', () => {
  it.each([
    ['Keys rotate. Logs hold nothing.', ['Keys rotate.', 'Logs hold nothing.']],
    ['which keys? and what logs! are kept', ['which keys?', 'and what logs!', 'are kept']],
    ['which keys?and what logs', ['which keys?', 'and what logs']],
    ['какие ключи?и какие записи', ['какие ключи?', 'и какие записи']],
    ['鍵は何？記録は', ['鍵は何？', '記録は']],
    ['球队得了多少分 体育场在哪里', ['球队得了多少分', '体育场在哪里']],
    ['鍵はどこ　記録は何', ['鍵はどこ', '記録は何']],
    ['如何 安装软件 和 API 的文档', ['如何 安装软件 和 API 的文档']],
    ['ключи записи', ['ключи записи']],
    ['keys: all; logs - none', ['keys', 'all', 'logs', 'none']],
    ['ключи: все; записи — нет', ['ключи', 'все', 'записи', 'нет']],
    ['keys | logs • words *> marks', ['keys', 'logs', 'words', 'marks']],
    ['which "keys?" rotate', ['which "keys?" rotate']],
    ['what?! is it?) it is', ['what?!', 'is it?) it is']],
    ['well-known keys at 10:30 a;b', ['well-known keys at 10:30 a;b']],
    ['keys ... ; ? — ! logs', ['keys ...', 'logs']],
    [' ?! ', []],
    ['', []],
  ])('splits %j into %j', (text, expected) => {
    expect(markedSentences(text)).toEqual(expected)
  })

  it('splits sentences further with the function of a language', () => {
    expect(markedSentences('one and two; three', (sentence) => sentence.split('and'))).toEqual(['one', 'two', 'three'])
  })
})

describe('joinSmallest', () => {
  const parts = (count: number, length = 3): string[] =>
    Array.from({ length: count }, (_, at) => String.fromCharCode(97 + at).repeat(length))

  it('leaves sixteen parts as they are', () => {
    expect(joinSmallest(parts(16))).toEqual(parts(16))
    expect(joinSmallest([])).toEqual([])
  })

  it('joins short neighbours before long ones', () => {
    const long = 'x'.repeat(20)
    const joined = joinSmallest([...parts(7), long, ...parts(9)])
    expect(joined).toEqual(['aaa bbb ccc ddd eee fff', 'ggg', long, 'aaa bbb ccc ddd eee fff', 'ggg hhh iii'])
    // Of nineteen letters each, two are one of thirty-nine, which is joined no further.
    expect(joinSmallest(parts(17, 19)).map(({ length }) => length)).toEqual([
      ...Array.from({ length: 8 }, () => 39),
      19,
    ])
    expect(joinSmallest(parts(17, 20)).map(({ length }) => length)).toEqual([
      ...Array.from({ length: 8 }, () => 41),
      20,
    ])
  })

  it('keeps the content of all parts, in order, in sixteen at most', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (given) => {
        const joined = joinSmallest(given)
        expect(joined.length).toBeLessThanOrEqual(16)
        expect(joined.join(' ')).toBe(given.join(' '))
      }),
    )
  })
})

describe('partsAtMarks', () => {
  it.each([
    ['Which keys rotate', ['Which keys rotate']],
    ['  Which keys? ?', ['  Which keys? ?']],
    ['?', ['?']],
    ['Which keys? Which logs?', ['Which keys?', 'Which logs?']],
    ['Keys (which ones?) rotate', ['Keys', 'which ones?', 'rotate']],
  ])('splits %j into %j', (question, parts) => {
    expect(partsAtMarks(question)).toEqual({ bare: question, parts })
  })

  it('returns at most sixteen parts', () => {
    expect(partsAtMarks('Which keys? '.repeat(40)).parts.length).toBeLessThanOrEqual(16)
  })
})
