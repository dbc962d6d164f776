import * as fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contentStems, type WordReader } from '../../../src/core/text/content-stems.ts'
import { englishStems } from '../../../src/language/english/english-stems.ts'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { OTHER_QUESTION, type QuestionPair } from '../../fixtures/question-pairs.ts'
import { examples } from '../../properties.ts'

const asWritten: WordReader = (word) => word
const READERS: readonly (readonly [string, WordReader])[] = [
  ['English', englishStems],
  ['no language', asWritten],
]

/** Near paraphrases of SQuAD and questions that look alike, beside the checkout where they are there. */
const SQUAD_PAIRS = new URL('../../../../shared/data/cache-squad/pairs.jsonl', import.meta.url)

function stemsOf(question: string, read: WordReader): string {
  return contentStems(normaliseQuestion(question), read).join(' ')
}

/** Pairs that read alike, as they are written and in small letters. */
function alike(pairs: readonly QuestionPair[], read: WordReader): readonly QuestionPair[] {
  const inSmallLetters = pairs.map(([one, other]): QuestionPair => [one.toLowerCase(), other.toLowerCase()])
  return [...pairs, ...inSmallLetters].filter(
    ([one, other]) => one !== other && stemsOf(one, read) === stemsOf(other, read),
  )
}

describe('contentStems', () => {
  it.each([
    ['How does the engine start?', 'how does engine start'],
    ['How does an engine start', 'how does engine start'],
    ['What is in a plan?', 'what is in plan'],
    ['What are the costs for companies?', 'what is cost for company'],
    ['Is this gas on the bus?', 'is this gas on bus'],
    ['How do I port C++ to C#?', 'how does i port C++ to C#?'],
    ['What is in plan a?', 'what is in plan a'],
    ['What did James say about Rolls?', 'what did James say about Rolls'],
    ['WHO rules apply?', 'WHO rule apply'],
    ['The constructor is what?', 'constructor is what'],
    ['   ', ''],
  ])('reads %j in English as %j', (question, stems) => {
    expect(stemsOf(question, englishStems)).toBe(stems)
  })

  it.each([
    ['Wann fährt der Bus?', 'wann fährt der Bus'],
    ['料金はいくらですか？', '料金はいくらですか'],
    ['What does a ?? b give', 'what does a ?? b give'],
  ])('reads %j without a language as %j', (question, stems) => {
    expect(stemsOf(question, asWritten)).toBe(stems)
  })

  it('keeps each word between its neighbours', () => {
    const asked: string[][] = []
    contentStems('Which keys rotate?', (...words) => {
      asked.push(words)
      return ''
    })
    expect(asked).toEqual([
      ['which', '', 'keys'],
      ['keys', 'which', 'rotate'],
      ['rotate', 'keys', ''],
    ])
  })

  it.each(READERS)('never gives equal stems to two questions that need different answers: %s', (_, read) => {
    expect(alike(OTHER_QUESTION, read)).toEqual([])
  })

  it.skipIf(!existsSync(SQUAD_PAIRS)).each(READERS)(
    'never gives equal stems to one of 1,618 pairs of different SQuAD questions: %s',
    (_, read) => {
      const lines = readFileSync(SQUAD_PAIRS, 'utf8').trimEnd().split('\n')
      const pairs = lines.map((line) => JSON.parse(line) as { a: string; b: string; duplicate: 0 | 1 })
      const others = pairs.filter(({ duplicate }) => duplicate === 0).map(({ a, b }): QuestionPair => [a, b])
      expect(others).toHaveLength(1618)
      expect(alike(others, read)).toEqual([])
    },
  )

  it('distinguishes questions with another word, number, symbol or order', () => {
    const word = fc.constantFrom(
      ...'price of plan blue for Ann rises when not before 3 30 < % C++ C# -1 .env'.split(' '),
    )
    const question = fc.array(word, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(question, question, (one, other) => {
        // Behind a symbol the mark may belong to it.
        const mark = /[\p{L}\p{N}]$/u.test(other.at(-1)!) ? '' : '?'
        const alike =
          stemsOf(`What ${one.join(' ')}?`, englishStems) === stemsOf(`what ${other.join(' ')}${mark}`, englishStems)
        expect(alike).toBe(one.join(' ') === other.join(' '))
      }),
      { numRuns: examples(2000) },
    )
  })
})
