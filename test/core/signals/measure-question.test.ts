import { describe, expect, it } from 'vitest'
import { confidenceOf } from '../../../src/core/policy/confidence.ts'
import { measure } from '../../../src/core/signals/measure.ts'
import { measureQuestion } from '../../../src/core/signals/measure-question.ts'
import { buildLexicon } from '../../../src/core/text/lexicon.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

const SENTENCE = 'The gate refuses weak evidence before any model call and says so in plain words'
const CORPUS = [`${SENTENCE}.`, 'Signing keys rotate every ninety days.', 'Logs hold no question text at all.']
const LEXICON = buildLexicon(CORPUS)
const EVIDENCE = evidenceOf(CORPUS)
const confidence = (question: string): number =>
  confidenceOf(balanced().confidence, measureQuestion(question, EVIDENCE, LEXICON))

describe('measureQuestion', () => {
  it('measures a short question of one part as it is', () => {
    const question = 'When does the gate refuse weak evidence?'
    expect(measureQuestion(question, EVIDENCE, LEXICON)).toEqual(measure(question, EVIDENCE, LEXICON))
  })

  it('measures what is asked, without the talk around it', () => {
    const asked = 'When does the gate refuse weak evidence?'
    const { parts: _, ...polite } = measureQuestion(`Hi all, thanks! ${asked} Any help appreciated`, EVIDENCE, LEXICON)
    expect(polite).toEqual(measure(asked, EVIDENCE, LEXICON))
  })

  it('measures the stretches of a long part, so that nothing hides beside a sentence of the corpus', () => {
    const foreign = 'name the painter of the famous ceiling in rome'
    expect(confidence(SENTENCE.toLowerCase())).toBeGreaterThan(0.8)
    for (const question of [`${SENTENCE} ${foreign}`, `${foreign} ${SENTENCE}`]) {
      const asOneText = measure(question.toLowerCase(), EVIDENCE, LEXICON)
      const { parts, stretches } = measureQuestion(question.toLowerCase(), EVIDENCE, LEXICON)
      expect(parts).toBeUndefined()
      expect(stretches?.length).toBeGreaterThan(4)
      expect(confidenceOf(balanced().confidence, asOneText)).toBeGreaterThan(0.8)
      expect(confidence(question.toLowerCase())).toBeLessThan(0.8)
    }
  })
})
