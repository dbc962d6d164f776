import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rankByWords, wordFeatures, wordRelevance } from '../../../bench/evaluation/word-relevance.ts'
import { WORD_WEIGHTS } from '../../../bench/evaluation/word-weights.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { evidenceOf, scoredEvidence } from '../../fixtures/evidence.ts'
import { examples } from '../../properties.ts'
import { buildLexicon, measure } from '../../fixtures/english.ts'

/** Every term alike. */
const ALIKE = buildLexicon(['Engine, start, stop, repair, red, blue paint.'])
const QUESTION = 'Does the engine start?'
const idsOf = (texts: readonly string[], topK?: number): readonly string[] =>
  rankByWords(QUESTION, evidenceOf(texts), ALIKE, topK === undefined ? {} : { topK }).chunks.map(({ text }) => text)

describe('wordFeatures', () => {
  it('are what signals would be if the chunk were the only one', () => {
    const texts = ['Engine stop. Start, red paint.', 'Engine start.', 'Red paint.']
    const all = wordFeatures(QUESTION, evidenceOf(texts), ALIKE)
    texts.forEach((text, at) => {
      const alone = measure(QUESTION, evidenceOf([text]), ALIKE)
      expect(all[at]).toMatchObject({
        likelihood: expect.closeTo(alone.questionLikelihood, 12),
        sentenceMatch: expect.closeTo(alone.sentenceMatch, 12),
        sentenceCoverage: expect.closeTo(alone.sentenceCoverage, 12),
        indexScore: 0.5,
      })
    })
    expect(all[1]).toMatchObject({ cosine: expect.closeTo(1, 12), sentenceCoverage: expect.closeTo(1, 12) })
    expect(all[0]!.cosine).toBeCloseTo(2 / Math.sqrt(2 * 5), 12)
  })

  it('read titles, near terms and the score of the index in every chunk, however far down', () => {
    const fillers = Array.from({ length: 12 }, (_, at) => ({ text: `Filler ${at}.`, scores: { cosine: 0.2 } }))
    const last = { text: 'Engineer starts.', title: 'The engine', scores: { cosine: 0.7 } }
    const features = wordFeatures(QUESTION, scoredEvidence([...fillers, last]), ALIKE)
    expect(features.at(-1)).toMatchObject({ titleCoverage: expect.closeTo(0.5, 12), indexScore: 0.7 })
    // `engin` is the stem of both, so nothing is left to come near to.
    expect(features.at(-1)!.nearCoverage).toBe(0)
    const near = wordFeatures(
      'repairman',
      evidenceOf(['Red.', 'Blue.', 'Stop.', 'Repair.']),
      buildLexicon(['Repairman.']),
    )
    expect(near[3]!.nearCoverage).toBeCloseTo(6 / 9, 12)
  })

  it('are the same for a copy', () => {
    const [first, , copy] = wordFeatures(QUESTION, evidenceOf(['Engine start.', 'Red.', 'Engine start.']), ALIKE)
    expect(copy).toEqual(first)
  })

  it('are nothing for a question without terms', () => {
    const [only] = wordFeatures('What is it?', evidenceOf(['Engine.']), ALIKE)
    expect(Object.values(only!)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(wordFeatures(QUESTION, evidenceOf([]), ALIKE)).toEqual([])
  })
})

describe('rankByWords', () => {
  it('puts the chunk first that says what is asked, and little else', () => {
    expect(idsOf(['Red paint.', 'Engine stop, engine repair.', 'Engine start.'])).toEqual([
      'Engine start.',
      'Engine stop, engine repair.',
      'Red paint.',
    ])
  })

  it('keeps as many as are asked for, ties as they came, and every score', () => {
    expect(idsOf(['Blue.', 'Red.', 'Engine start.'], 2)).toEqual(['Engine start.', 'Blue.'])
    const evidence = evidenceOf(['Blue.', 'Engine.'])
    const { chunks, ...rest } = rankByWords(QUESTION, evidence, ALIKE)
    expect(chunks).toEqual(evidence.chunks.toReversed())
    expect({ ...rest, chunks: evidence.chunks }).toEqual(evidence)
  })

  it('counts no word feature against a chunk', () => {
    for (const weight of Object.values(WORD_WEIGHTS)) expect(weight).toBeGreaterThan(0)
  })

  it('ranks by the weights it is given', () => {
    const weights = {
      ...WORD_WEIGHTS,
      ...Object.fromEntries(Object.keys(WORD_WEIGHTS).map((name) => [name, 0])),
      indexScore: 1,
    }
    const evidence = scoredEvidence([
      { text: 'Engine start.', scores: { convex: 0.1 } },
      { text: 'Red.', scores: { convex: 0.2 } },
    ])
    expect(rankByWords(QUESTION, evidence, ALIKE, { weights }).chunks[0]!.text).toBe('Red.')
    expect(wordRelevance(QUESTION, evidence, ALIKE, weights)).toEqual([0.1, 0.2])
  })

  it('gives finite numbers for any texts, and loses no chunk', () => {
    fc.assert(
      fc.property(
        anyText({ maxLength: 40 }),
        fc.array(anyText({ maxLength: 40 }), { maxLength: 8 }),
        (question, texts) => {
          const evidence = evidenceOf(texts)
          for (const score of wordRelevance(question, evidence, ALIKE)) expect(Number.isFinite(score)).toBe(true)
          const ids = rankByWords(question, evidence, ALIKE).chunks.map(({ id }) => id)
          expect(ids.toSorted()).toEqual(evidence.chunks.map(({ id }) => id).toSorted())
        },
      ),
      { numRuns: examples(200) },
    )
  })
})
