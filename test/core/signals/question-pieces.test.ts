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
  it('are none where there is but one', () => {
    expect(piecesOf('How does the red engine start?')).toEqual({ parts: [], stretches: [] })
  })

  it('are none without evidence', () => {
    expect(piecesOf('how does the red engine start poems yellow cats', [])).toEqual({ parts: [], stretches: [] })
  })

  it('are those of the language, and without one those between marks', () => {
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

  it('are measured as if each were the question, but that none leads by more than the whole', () => {
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
    ['the first, of which the best chunk of all holds the most', ENGINE, [0]],
    ['both, where it holds something of each', 'The red engine starts in France.', [0, 1]],
    ['that of whose words another form stands there', 'An engine of the Frenchmen, red, starts.', [0]],
    ['none where nothing is found', 'Blue paint dries.', []],
  ])('lean on %s', (_, best, lean) => {
    const { parts } = piecesOf('How does the red engine start? What is the capital of France?', [best, 'Wet paint.'])
    expect(marked(parts, 'leans')).toEqual(lean)
  })

  it('lean on the first of chunks that hold as much', () => {
    const { parts } = piecesOf('What is an engine? What is France?', ['Red engine.', 'Red France.'])
    expect(marked(parts, 'leans')).toEqual([0])
  })

  it('lean on its title', () => {
    const evidence = evidenceOf([ENGINE, 'Wet paint.'])
    const [first, ...others] = evidence.chunks
    const titled = { ...evidence, chunks: [{ ...first!, title: 'Made in France' }, ...others] }
    const question = 'How does the red engine start? What is the capital of France?'
    const { parts } = measureQuestion(question, titled, EMPTY_LEXICON)
    expect(marked(parts as readonly PartSignals[], 'leans')).toEqual([0, 1])
  })
})

describe('the ends of a part of which the best chunk holds nothing', () => {
  it.each([
    ['behind what it holds', 'how does the red engine start poems yellow cats', 1],
    ['before it', 'poems yellow cats red engine starts key', 1],
    ['on either side', 'yellow cats red engine starts key green frogs', 2],
    ['of one term', 'how does the red engine start poems', 0],
    ['beside two terms', 'how does the engine start poems yellow cats', 0],
    ['beside none', 'poems about yellow cats', 0],
  ])('%s', (_, question, ends) => {
    expect(piecesOf(question).stretches).toHaveLength(ends)
  })

  it.each([
    ['four words in German', 'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen', MOTOR, 0],
    ['four of a passage set wide', 'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen', WIDE, 0],
    ['five', 'wann startet der rote Motor am Morgen Gedichte gelbe Katzen fressen Milch', MOTOR, 1],
    ['five before', 'Gedichte gelbe Katzen fressen Milch startet der rote Motor am Morgen', MOTOR, 1],
    ['six, and one of them held', 'wann startet der Motor Gedichte gelbe Katzen mit fressen Milch dort', MOTOR, 1],
    ['five, and one of them held', 'wann startet der Motor Gedichte gelbe Katzen mit fressen Milch', MOTOR, 0],
    ['what asks in Japanese', '聖武天皇が建てた寺院はどこですか', TEMPLE, 0],
    ['another subject in Japanese', '聖武天皇が建てた寺院はシカゴの天気予報と気温は高い', TEMPLE, 1],
  ])('lack more where each word counts, or each pair of letters: %s', (_, question, best, ends) => {
    expect(piecesOf(question, [best]).stretches).toHaveLength(ends)
  })

  it('are what it lacks of them, where it may hold some', () => {
    const { stretches } = piecesOf('wann startet der Motor Gedichte gelbe Katzen mit fressen Milch dort', [MOTOR])
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, topBm25: 0, questionTermCount: 6 }])
  })

  it('end at the first term that it holds, where those that say little are left out', () => {
    const { stretches } = piecesOf('how does the red engine start poems yellow cats key green frogs')
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, questionTermCount: 2 }])
  })

  it('are measured for themselves', () => {
    const { stretches } = piecesOf('how does the red engine start poems yellow cats')
    expect(stretches).toMatchObject([{ sentenceCoverage: 0, topBm25: 0, questionTermCount: 3 }])
  })
})

describe('what stands beside a quotation', () => {
  it.each([
    ['behind eight words of the first chunk', 'the red engine starts with a key on yellow cats', MORNINGS, 1],
    ['behind seven that it begins with', 'the red engine starts with a key yellow cats', MORNINGS, 1],
    ['behind eight from its middle', 'engine starts with a key on cold mornings yellow cats', MORNINGS, 1],
    ['behind six', 'the red engine starts with a yellow cats', MORNINGS, 0],
    ['behind seven elsewhere', 'Wet red engine starts with a key on yellow cats', MORNINGS, 0],
    ['behind eight, one of them another', 'the red engine starts or a key on yellow cats', MORNINGS, 1],
    ['behind every second of eight', 'the or engine or with or key or cold or yellow cats', MORNINGS, 1],
    ['behind nine, two in a row others', 'the red engine starts or or key on cold yellow cats', MORNINGS, 0],
    ['behind rows of five each', 'the red engine starts with or on cold mornings in spring yellow cats', MORNINGS, 1],
    ['behind rows of four each', 'the red engine starts or on cold mornings in yellow cats', MORNINGS, 0],
    ['between rows of five each', 'the red engine starts with yellow cats on cold mornings in spring', MORNINGS, 1],
    ['before them', 'Yellow cats: the red engine starts with a key on cold mornings', MORNINGS, 1],
    ['on either side', 'yellow cats the red engine starts with a key on cold green frogs', MORNINGS, 2],
    ['of one term', 'the red engine starts with a key on poems', MORNINGS, 0],
    ['held by the best chunk', 'the red engine starts with a key on spring mornings', MORNINGS, 0],
    ['half held by it', 'the red engine starts with a key on spring poems', MORNINGS, 1],
    ['half held by it, at the end', 'the red engine starts with a key on poems spring', MORNINGS, 1],
    ['nothing', 'the red engine starts with a key on cold mornings in spring', MORNINGS, 0],
    ['in German', 'der rote Motor startet mit einem kleinen Schlüssel Gedichte Katzen', MOTOR, 1],
    ['behind sixteen pairs of letters in Japanese', 'この寺院は聖武天皇が奈良の都に建てシカゴの天気', CAPITAL, 1],
    ['behind rows of eight and nine', 'この寺院は聖武天皇シカゴが奈良の都に建てた大の天気予報', CAPITAL, 0],
    ['behind fourteen', 'この寺院は聖武天皇が奈良の都にシカゴの天気', CAPITAL, 1],
    ['behind thirteen', 'この寺院は聖武天皇が奈良の都シカゴの天気', CAPITAL, 0],
    ['behind fifteen elsewhere', '京寺院は聖武天皇が奈良の都に建てシカゴの天気', CAPITAL, 0],
  ])('%s', (_, question, first, beside) => {
    expect(marked(piecesOf(question, [first]).stretches, 'besideQuoted')).toHaveLength(beside)
  })

  it('is measured in sixteen pieces at most, all of it', () => {
    const foreign = Array.from({ length: 60 }, (_, at) => `cat${at} dog${at}`)
    const question = foreign.map((pair) => `the red engine starts with ${pair}`).join(' ')
    const beside = piecesOf(question, [MORNINGS]).stretches.filter(({ besideQuoted }) => besideQuoted === 1)
    expect(beside.length).toBeLessThanOrEqual(16)
    expect(beside.reduce((sum, { questionTermCount = 0 }) => sum + questionTermCount, 0)).toBe(120)
  })

  it('is measured for itself, between two as well', () => {
    const question = 'the red engine starts with a key on yellow cats the red engine starts with a key on green frogs'
    const { stretches } = piecesOf(question, [MORNINGS])
    expect(stretches.filter(({ besideQuoted }) => besideQuoted === 1)).toMatchObject([
      { sentenceCoverage: 0, topBm25: 0, questionTermCount: 2 },
      { sentenceCoverage: 0, topBm25: 0, questionTermCount: 2 },
    ])
  })

  it('is measured in as many pieces as there are between quotations', () => {
    const pairs = ['ox yak', 'elk emu', 'cat hen', 'dog pig']
    const { stretches } = piecesOf(pairs.map((pair) => `the red engine starts with ${pair}`).join(' '), [MORNINGS])
    const beside = stretches.filter(({ besideQuoted }) => besideQuoted === 1)
    expect(beside.map((piece) => piece['questionTermCount'])).toEqual([2, 2, 2, 2])
  })
})
