import { describe, expect, it } from 'vitest'
import { measureSignals, type PartSignals, subjectOf } from '../../../src/core/signals/measure.ts'
import { piecesOf as piecesBy } from '../../../src/core/signals/question-pieces.ts'
import { curves } from '../../../src/core/signals/score-curves.ts'
import { questionTermCount } from '../../../src/core/signals/text-signals.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { measure, measureQuestion } from '../../fixtures/english.ts'

const ENGINE = 'The red engine starts with a key.'
const FRANCE = 'Paris is the capital of France.'
const MOTOR = 'Der rote Motor startet mit einem kleinen Schlüssel am Morgen.'
const WIDE = MOTOR.replaceAll(' ', '\n    ')
const MORNINGS = 'The red engine starts with a key on cold mornings in spring.'
const CAPITAL = 'この寺院は聖武天皇が奈良の都に建てた大きな寺院である。'
const TEMPLE = 'この寺院は聖武天皇が建てた。奈良市にある。'

const piecesOf = (question: string, texts: readonly string[] = [ENGINE, 'Blue paint dries.']) => {
  const { parts, stretches } = measureQuestion(question, evidenceOf(texts), EMPTY_LEXICON)
  // Both are measured in this fixture.
  return { parts: parts as readonly PartSignals[], stretches: stretches as readonly PartSignals[] }
}
/** Which of the pieces have a mark. */
const marked = (pieces: readonly PartSignals[], mark: 'besideQuoted' | 'leans'): readonly number[] =>
  pieces.flatMap((piece, at) => (piece[mark] === 1 ? [at] : []))

describe('the parts of a question', () => {
  it('are empty when there is only one', () => {
    expect(piecesOf('How does the red engine start?')).toEqual({ parts: [], stretches: [] })
  })

  it('are empty without evidence', () => {
    expect(piecesOf('how does the red engine start poems yellow cats', [])).toEqual({ parts: [], stretches: [] })
  })

  it('are found by the language, and without one by punctuation', () => {
    const question = 'How does the red engine start and how do I bake bread? Who paints?'
    expect(piecesOf(question).parts).toHaveLength(3)
    const signals = piecesBy([questionTermCount, curves])
    const subject = subjectOf({ question, evidence: evidenceOf([ENGINE]), language: undefined })
    // Of all that is measured what differs between parts alone: no scores of passages.
    expect(measureSignals(signals, subject).parts).toEqual([
      { questionTermCount: 11, leans: 1 },
      { questionTermCount: 2 },
    ])
  })

  it('are measured like questions of their own, but with at most the lead of the whole', () => {
    const question = 'How does the red engine start? What is the capital of France?'
    const evidence = evidenceOf([ENGINE, FRANCE])
    const whole = measure('How does the red engine start? What is the capital of France?', evidence, EMPTY_LEXICON)
    const { parts } = piecesOf(question, [ENGINE, FRANCE])
    for (const [at, part] of ['How does the red engine start?', 'What is the capital of France?'].entries()) {
      const alone = measure(part, evidence, EMPTY_LEXICON)
      expect(parts[at]).toMatchObject({
        sentenceCoverage: alone.sentenceCoverage,
        topBm25: alone.topBm25,
        bm25Lead: Math.min(alone.bm25Lead, whole.bm25Lead),
      })
      expect(alone.bm25Lead).toBeGreaterThan(whole.bm25Lead)
    }
  })

  it.each([
    ['the first part, when the chunk contains most of it', ENGINE, [0]],
    ['both parts, when the chunk contains something of each', 'The red engine starts in France.', [0, 1]],
    ['a part that the chunk contains in another word form', 'An engine of the Frenchmen, red, starts.', [0]],
    ['no part, when the chunk contains nothing of them', 'Blue paint dries.', []],
  ])('lean on the best chunk: %s', (_, best, lean) => {
    const { parts } = piecesOf('How does the red engine start? What is the capital of France?', [best, 'Wet paint.'])
    expect(marked(parts, 'leans')).toEqual(lean)
  })

  it('lean only on the first of two chunks that contain as much', () => {
    const { parts } = piecesOf('What is an engine? What is France?', ['Red engine.', 'Red France.'])
    expect(marked(parts, 'leans')).toEqual([0])
  })

  it('lean on a chunk whose title contains their words', () => {
    const evidence = evidenceOf([ENGINE, 'Wet paint.'])
    const [first, ...others] = evidence.chunks
    const titled = { ...evidence, chunks: [{ ...first!, title: 'Made in France' }, ...others] }
    const question = 'How does the red engine start? What is the capital of France?'
    const { parts } = measureQuestion(question, titled, EMPTY_LEXICON)
    expect(marked(parts as readonly PartSignals[], 'leans')).toEqual([0, 1])
  })
})

describe('the ends of a part that are missing from the best chunk', () => {
  it.each([
    ['after terms that the chunk contains', 'how does the red engine start poems yellow cats', 1],
    ['before terms that the chunk contains', 'poems yellow cats red engine starts key', 1],
    ['on either side', 'yellow cats red engine starts key green frogs', 2],
    ['of one term', 'how does the red engine start poems', 0],
    ['beside only two terms that the chunk contains', 'how does the engine start poems yellow cats', 0],
    ['beside no term that the chunk contains', 'poems about yellow cats', 0],
  ])('are pieces or not: %s', (_, question, ends) => {
    expect(piecesOf(question).stretches).toHaveLength(ends)
  })

  it.each([
    ['four missing words in German', 'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen', MOTOR, 0],
    [
      'four missing words, with a passage in wide letters',
      'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen',
      WIDE,
      0,
    ],
    ['five missing words', 'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen Milch', MOTOR, 1],
    [
      'five missing words at the beginning',
      'Gedichte gelbe Katzen fressen Milch startet der rote Motor am Morgen',
      MOTOR,
      1,
    ],
    [
      'six missing words, one of them contained',
      'wann startet der Motor Gedichte gelbe Katzen mit fressen Milch dort',
      MOTOR,
      1,
    ],
    [
      'five missing words, one of them contained',
      'wann startet der Motor Gedichte gelbe Katzen mit fressen Milch',
      MOTOR,
      0,
    ],
    ['the question words in Japanese', '聖武天皇が建てた寺院はどこですか', TEMPLE, 0],
    ['an added subject in Japanese', '聖武天皇が建てた寺院はシカゴの天気予報と気温は高い', TEMPLE, 1],
  ])('need more words in languages where each word or pair of letters counts: %s', (_, question, best, ends) => {
    expect(piecesOf(question, [best]).stretches).toHaveLength(ends)
  })

  it('count each term as one in English, however many other passages contain it', () => {
    const others = ['Yellow poems rhyme.', 'Yellow poems sing.', 'Yellow poems end.', 'Yellow poems wait.']
    expect(piecesOf('how does the red engine start yellow poems', [ENGINE, ...others]).stretches).toHaveLength(1)
  })

  it('weight terms by their idf, so that a word of every passage does not count as support', () => {
    const question = 'wann startet der Motor Gedichte gelbe Katzen mit fressen Milch'
    const others = ['Hund mit Leine.', 'Haus mit Dach.', 'Rad mit Korb.', 'Boot mit Segel.', 'Brot mit Salz.']
    expect(piecesOf(question, [MOTOR, ...others]).stretches).toHaveLength(1)
    expect(piecesOf(question, [MOTOR, ...others.map((text) => text.replace('mit', 'ohne'))]).stretches).toHaveLength(0)
  })

  it('are measured by the terms that are missing, when the best chunk contains some of the others', () => {
    const { stretches } = piecesOf('wann startet der Motor Gedichte gelbe Katzen mit fressen Milch dort', [MOTOR])
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, topBm25: 0, questionTermCount: 6 }])
  })

  it('end at the first term that the best chunk contains, ignoring stop words', () => {
    const { stretches } = piecesOf('how does the red engine start poems yellow cats key green frogs')
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, questionTermCount: 2 }])
  })

  it('are measured on their own', () => {
    const { stretches } = piecesOf('how does the red engine start poems yellow cats')
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, topBm25: 0, questionTermCount: 3 }])
  })
})

describe('the text beside a quotation', () => {
  it.each([
    ['after eight words of the first chunk', 'the red engine starts with a key on yellow cats', MORNINGS, 1],
    ['after its first seven words', 'the red engine starts with a key yellow cats', MORNINGS, 1],
    ['after eight words from its middle', 'engine starts with a key on cold mornings yellow cats', MORNINGS, 1],
    ['after six words', 'the red engine starts with a yellow cats', MORNINGS, 0],
    ['after seven words that are not its first', 'Wet red engine starts with a key on yellow cats', MORNINGS, 0],
    ['after eight words, one of them changed', 'the red engine starts or a key on yellow cats', MORNINGS, 1],
    ['after every second word of eight', 'the or engine or with or key or cold or yellow cats', MORNINGS, 1],
    ['after nine words, two in a row changed', 'the red engine starts or or key on cold yellow cats', MORNINGS, 0],
    [
      'after two sequences of five words',
      'the red engine starts with or on cold mornings in spring yellow cats',
      MORNINGS,
      1,
    ],
    ['after two sequences of four words', 'the red engine starts or on cold mornings in yellow cats', MORNINGS, 0],
    [
      'between two sequences of five words',
      'the red engine starts with yellow cats on cold mornings in spring',
      MORNINGS,
      1,
    ],
    ['before eight words', 'Yellow cats: the red engine starts with a key on cold mornings', MORNINGS, 1],
    ['on either side', 'yellow cats the red engine starts with a key on cold green frogs', MORNINGS, 2],
    ['of one term', 'the red engine starts with a key on poems', MORNINGS, 0],
    [
      'of one term that is asked about',
      'the red engine starts with who was napoleon on cold mornings in spring',
      MORNINGS,
      1,
    ],
    [
      'of one term, nothing asked',
      'the red engine starts with the other napoleon on cold mornings in spring',
      MORNINGS,
      0,
    ],
    ['asked at the end', 'the red engine starts with a key on cold mornings who was napoleon', MORNINGS, 0],
    ['before them, of one term', 'what is love the red engine starts with a key on cold mornings', MORNINGS, 1],
    ['before them, contained in the chunk', 'what is spring the red engine starts with a key on', MORNINGS, 1],
    ['before them, without a term', 'what is it the red engine starts with a key on cold mornings', MORNINGS, 0],
    ['contained in the best chunk', 'the red engine starts with a key on spring mornings', MORNINGS, 0],
    ['half contained in the best chunk', 'the red engine starts with a key on spring poems', MORNINGS, 1],
    ['half contained in the best chunk, at the end', 'the red engine starts with a key on poems spring', MORNINGS, 1],
    ['no further text', 'the red engine starts with a key on cold mornings in spring', MORNINGS, 0],
    ['in German', 'der rote Motor startet mit einem kleinen Schlüssel Gedichte Katzen', MOTOR, 1],
    ['after sixteen pairs of letters in Japanese', 'この寺院は聖武天皇が奈良の都に建てシカゴの天気', CAPITAL, 1],
    ['after sequences of eight and nine pairs', 'この寺院は聖武天皇シカゴが奈良の都に建てた大の天気予報', CAPITAL, 0],
    ['after its first fourteen pairs', 'この寺院は聖武天皇が奈良の都にシカゴの天気', CAPITAL, 1],
    ['after its first thirteen pairs', 'この寺院は聖武天皇が奈良の都シカゴの天気', CAPITAL, 0],
    ['after fifteen pairs that are not its first', '京寺院は聖武天皇が奈良の都に建てシカゴの天気', CAPITAL, 0],
  ])('is a piece or not: %s', (_, question, first, beside) => {
    expect(marked(piecesOf(question, [first]).stretches, 'besideQuoted')).toHaveLength(beside)
  })

  it('is split into sixteen pieces at most, and covered by them', () => {
    const foreign = Array.from({ length: 60 }, (_, at) => `cat${at} dog${at}`)
    const question = foreign.map((pair) => `the red engine starts with ${pair}`).join(' ')
    const beside = piecesOf(question, [MORNINGS]).stretches.filter(({ besideQuoted }) => besideQuoted === 1)
    expect(beside.length).toBeLessThanOrEqual(16)
    expect(beside.reduce((sum, { questionTermCount = 0 }) => sum + questionTermCount, 0)).toBe(120)
  })

  it('is measured on its own, also between two quotations', () => {
    const question = 'the red engine starts with a key on yellow cats the red engine starts with a key on green frogs'
    const { stretches } = piecesOf(question, [MORNINGS])
    expect(stretches.filter(({ besideQuoted }) => besideQuoted === 1)).toMatchObject([
      { sentenceCoverage: 0, topBm25: 0, questionTermCount: 2 },
      { sentenceCoverage: 0, topBm25: 0, questionTermCount: 2 },
    ])
  })

  it('is measured before them even if another chunk contains it, because that was found for the words copied', () => {
    const { stretches } = piecesOf('what is love the red engine starts with a key on cold mornings', [
      MORNINGS,
      'Love grows.',
    ])
    expect(stretches.filter(({ besideQuoted }) => besideQuoted === 1)).toMatchObject([{ questionTermCount: 1 }])
  })

  it('is split into one piece for each place between quotations', () => {
    const pairs = ['ox yak', 'elk emu', 'cat hen', 'dog pig']
    const { stretches } = piecesOf(pairs.map((pair) => `the red engine starts with ${pair}`).join(' '), [MORNINGS])
    const beside = stretches.filter(({ besideQuoted }) => besideQuoted === 1)
    expect(beside.map((piece) => piece['questionTermCount'])).toEqual([2, 2, 2, 2])
  })
})
