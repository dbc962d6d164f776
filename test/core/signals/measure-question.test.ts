import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceOf } from '../../../src/core/policy/confidence.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { buildLexicon, measure, measureQuestion } from '../../fixtures/english.ts'

const SENTENCE = 'The gate refuses weak evidence before any model call and says so in plain words'
const CORPUS = [`${SENTENCE}.`, 'Signing keys rotate every ninety days.', 'Logs hold no question text at all.']
const LEXICON = buildLexicon(CORPUS)
const EVIDENCE = evidenceOf(CORPUS)
const confidence = (question: string): number =>
  confidenceOf(balanced().confidence, measureQuestion(question, EVIDENCE, LEXICON))

describe('measureQuestion', () => {
  it('measures a short question of one part like any text', () => {
    const question = 'When does the gate refuse weak evidence?'
    expect(measureQuestion(question, EVIDENCE, LEXICON)).toEqual(measure(question, EVIDENCE, LEXICON))
  })

  it('ignores greetings and thanks around the question', () => {
    const asked = 'When does the gate refuse weak evidence?'
    const polite = measureQuestion(`Hi all, thanks! ${asked} Any help appreciated`, EVIDENCE, LEXICON)
    const { parts: _, askedTermCount: __, ...whole } = measure(asked, EVIDENCE, LEXICON)
    expect(polite).toMatchObject(whole)
    expect(polite.askedTermCount).toBeGreaterThan(4)
  })

  it('measures the text beside a copied sentence as its own piece, so that nothing hides there', () => {
    const foreign = 'name the painter of the famous ceiling in rome'
    expect(confidence(SENTENCE.toLowerCase())).toBeGreaterThan(0.8)
    for (const question of [`${SENTENCE} ${foreign}`, `${foreign} ${SENTENCE}`]) {
      const asOneText = measure(question.toLowerCase(), EVIDENCE, LEXICON)
      const { parts, stretches } = measureQuestion(question.toLowerCase(), EVIDENCE, LEXICON)
      expect(parts).toEqual([])
      expect(stretches?.at(-1)).toMatchObject({ questionTermCount: 5, besideQuoted: 1 })
      expect(confidenceOf(balanced().confidence, asOneText)).toBeGreaterThan(0.8)
      expect(confidence(question.toLowerCase())).toBeLessThan(0.8)
    }
  })

  it('measures the first or last terms of a question as a piece when the best passage contains none of them', () => {
    const asked = 'when does the gate refuse weak evidence'
    const foreign = 'juggle pineapples'
    for (const question of [
      `${asked} ${foreign}`,
      `${foreign} the gate refuses weak evidence`,
      `${asked} juggle keys`,
    ]) {
      const { stretches } = measureQuestion(question, EVIDENCE, LEXICON)
      expect(stretches, question).toHaveLength(1)
      expect(stretches?.[0], question).toMatchObject({ questionTermCount: 2 })
    }
    for (const known of [asked, `keys ${asked}`, `weak ${foreign}`]) {
      expect(measureQuestion(known, EVIDENCE, LEXICON), known).toMatchObject({ stretches: [] })
    }
  })

  it('limits the lead of the best passage for a part to its lead for the whole question', () => {
    const { bm25Lead, parts } = measureQuestion(
      'When does the gate refuse weak evidence? How are keys rotated?',
      EVIDENCE,
      LEXICON,
    )
    expect(parts?.map((part) => part['bm25Lead']! <= bm25Lead!)).toEqual([true, true])
    expect(parts?.map(({ leans }) => leans)).toEqual([1, undefined])
  })

  const LEVELS = ['refuse', 'advise', 'pass']
  const QUESTIONS = [
    'How often do signing keys rotate?',
    'When does the gate refuse weak evidence?',
    'Do logs hold question text?',
    'The gate refuses weak evidence',
  ]
  const level = (question: string): number =>
    LEVELS.indexOf(judge(balanced(), measureQuestion(question, EVIDENCE, LEXICON)).verdict)
  /** Words that no text of the corpus holds, nor anything near. */
  const foreign = fc.array(fc.stringMatching(/^[xzq][aeiou][xzq]{2}[aeiou][xzq]$/), { minLength: 1, maxLength: 6 })
  const attached = fc.constantFrom<(question: string, other: string) => string>(
    (question, other) => `${question} ${other}.`,
    (question, other) => `${question} What is ${other}?`,
    (question, other) => `${question.slice(0, -1)}, and ${other}?`,
    (question, other) => `${question.slice(0, -1)} and how do I ${other}?`,
    (question, other) => `${question} (and tell me about ${other})`,
    (question, other) => `${question.replace('?', '').toLowerCase()} can you ${other}`,
    (question, other) => `${question.replace('?', '').toLowerCase()} ${other}`,
  )

  it('never gives a milder verdict when an unsupported part is added', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUESTIONS), foreign, attached, (question, other, attach) => {
        expect(level(attach(question, other.join(' ')))).toBeLessThanOrEqual(level(question))
      }),
    )
  })

  it('refuses when two unsupported terms follow, with any words or marks between', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUESTIONS), foreign, attached, (question, other, attach) => {
        fc.pre(new Set(other).size > 1)
        expect(level(attach(question, other.join(' ')))).toBe(0)
      }),
    )
  })
})
