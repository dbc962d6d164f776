import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { evidenceOf, scoredEvidence } from '../../fixtures/evidence.ts'
import { buildLexicon, createTermReader, measure, read } from '../../fixtures/english.ts'

describe('read', () => {
  it('treats every chunk as one of mean length without a lexicon', () => {
    const bm25 = (text: string): number => read('engine', evidenceOf([text]), EMPTY_LEXICON).chunks[0]!.bm25
    // ln (1 + 99.5 / 1.5) · 1 · 2.2 / (1 + 1.2), however long the chunk is.
    expect(bm25('Engine.')).toBeCloseTo(Math.log(101 / 1.5), 12)
    expect(bm25('Engine, red paint, blue paint.')).toBeCloseTo(Math.log(101 / 1.5), 12)
  })

  it('does the same when the lexicon has no lengths', () => {
    const lexicon = { ...buildLexicon(['Engine.']), termCount: 0 }
    const { chunks } = read('engine', evidenceOf(['Engine, red paint, blue paint.']), lexicon)
    expect(chunks[0]!.bm25).toBeCloseTo(Math.log(101 / 1.5), 12)
  })

  it('reads the titles of only the five best chunks', () => {
    const evidence = scoredEvidence(
      Array.from({ length: 7 }, (_, at) => ({ title: 'Engine', text: `Red ${at}.`, scores: {} })),
    )
    const { chunks } = read('engine', evidence, EMPTY_LEXICON)
    expect(chunks.map(({ titled }) => titled)).toEqual([[0], [0], [0], [0], [0], [], []])
  })
})

describe('terms of the question', () => {
  const LEXICON = buildLexicon(['Hotel taxes are exempt.', 'Hello world prints a greeting.', 'Red paint.'])
  const asked = (question: string, texts: readonly string[], lexicon = LEXICON): readonly string[] =>
    read(question, evidenceOf(texts), lexicon).questionTerms.map(({ term }) => term)

  it('are corrected to the spelling of the passages when no chunk contains them as typed', () => {
    const texts = ['Hotel taxes are exempt.']
    expect(asked('htoel taxes', texts)).toEqual(['hotel', 'tax'])
    expect(asked('htoel taxes', texts, EMPTY_LEXICON)).toEqual(['hotel', 'tax'])
    expect(asked('hotel htoel taxes', texts)).toEqual(['hotel', 'tax'])
    // No passage says what could have been meant.
    expect(asked('htoel taxes', ['Red paint.'])).toEqual(['htoel', 'tax'])
  })

  it('stay as typed when the collection contains them', () => {
    const known = buildLexicon(['Hostel beds.', 'Hotel taxes.'])
    expect(asked('hostel taxes', ['Hotel taxes.'], known)).toEqual(['hostel', 'tax'])
    // `zzqx` is unknown, so the terms are looked at one by one.
    expect(asked('hostel zzqx taxes', ['Hotel taxes.'], known)).toEqual(['hostel', 'zzqx', 'tax'])
    expect(asked('hostel taxes', ['Hotel taxes.'])).toEqual(['hotel', 'tax'])
  })

  it('stay as typed when a passage newer than the lexicon contains them', () => {
    expect(asked('hostel taxes', ['Hotel taxes. Hostel beds.'])).toEqual(['hostel', 'tax'])
  })
})

describe('a passage that is stored twice', () => {
  const once = ['Engine start.', 'Engine stop.', 'Red paint.']
  const twice = once.flatMap((text) => [text, `${text} `])
  const measured = (texts: readonly string[]): Signals => measure('engine start', evidenceOf(texts), EMPTY_LEXICON)

  it('counts once, so that the best passage still leads', () => {
    expect(read('engine start', evidenceOf(twice), EMPTY_LEXICON).chunks).toHaveLength(3)
    const { chunkCosineGap, bm25Lead, questionLikelihood } = measured(once)
    expect(measured(twice)).toMatchObject({ chunkCosineGap, bm25Lead, questionLikelihood })
    expect(chunkCosineGap).toBeGreaterThan(0)
  })

  it('counts like the worst passage when it displaced a worse one among ten', () => {
    const worse = ['Engine stop.', 'Engine oil.', 'Engine test.', 'Red engine paint of old.']
    const lead = (texts: readonly string[]) => measured(texts)['bm25Lead'] as number
    const five = ['Engine start.', ...worse]
    const ten = five.flatMap((text) => [text, `${text} `])
    const mean = lead(five)
    expect(lead(ten)).toBeGreaterThan(mean)
    expect(lead(ten)).toBe(lead([...ten, 'Red.'].slice(0, 10)))
    expect(lead(ten.slice(0, 9))).toBe(mean)
    // All copies of the best: nothing else was found.
    expect(lead(Array.from({ length: 10 }, () => 'Engine start.'))).toBe(lead(['Engine start.']))
  })

  it('counts like the worst passage as often as needed for nine beside the best', () => {
    const texts = [
      'Engine start.',
      'Engine stop.',
      'Red paint of engine.',
      ...Array.from({ length: 7 }, () => 'Engine start.'),
    ]
    const { chunks, idfMass } = read('engine start', evidenceOf(texts), EMPTY_LEXICON)
    const [best, second, least] = chunks.map(({ bm25 }) => bm25).sort((a, b) => b - a) as [number, number, number]
    expect(second).toBeGreaterThan(least)
    expect(measured(texts)['bm25Lead']).toBeCloseTo((best - (second + 8 * least) / 9) / idfMass, 12)
  })

  it('makes room for the next of ten passages', () => {
    const others = Array.from({ length: 9 }, (_, at) => `Filler ${at}.`)
    const { chunks } = read('engine', evidenceOf(['Red.', 'Red.', ...others, 'Engine.']), EMPTY_LEXICON)
    expect(chunks).toHaveLength(10)
    expect(chunks.at(-1)!.counts).toEqual([0])
    expect(
      read('engine', evidenceOf(['Red.', 'Red.', ...others.slice(1), 'Engine.']), EMPTY_LEXICON).chunks.at(-1)!.counts,
    ).toEqual([1])
  })

  it('is not one with the same words in other sentences', () => {
    expect(
      read('engine', evidenceOf(['Engine start.', 'Engine. Start.', 'Start engine.']), EMPTY_LEXICON).chunks,
    ).toHaveLength(3)
  })
})

it('an unknown term is corrected beside a known one, and kept as typed when alone', () => {
  const termsOf = (question: string) =>
    read(question, evidenceOf(['Move the cluster.']), buildLexicon(['Move the cluster.'])).questionTerms.map(
      ({ term }) => term,
    )
  expect(termsOf('love the cluster')).toEqual(['move', 'cluster'])
  expect(termsOf('what is love')).toEqual(['love'])
})

it('signals do not depend on what a term reader has cached', () => {
  const remembering = createTermReader()
  // Terms, terms near them, misspelt ones, and words whose stems keep little of them.
  const word = fc.constantFrom(
    ...'engine engines engin enginee negine repair repairing repaired rpair red paint the eyes eys ies say saint sky'.split(
      ' ',
    ),
  )
  const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => `${words.join(' ')}. `)
  const passage = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((sentences) => sentences.join('X'))
  const lexicon = fc.array(passage, { maxLength: 3 }).map((texts) => buildLexicon(texts))
  fc.assert(
    fc.property(sentence, fc.array(passage, { maxLength: 6 }), lexicon, (question, texts, known) => {
      const expected = measure(question, evidenceOf(texts), known, createTermReader())
      expect(measure(question, evidenceOf(texts), known, remembering)).toEqual(expected)
    }),
  )
})
