import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { buildLexicon, measure } from '../../fixtures/english.ts'

/** A first try: one document, or a few, in a collection of their own. */
describe('balanced over a few chunks', () => {
  const verdict = (question: string, texts: readonly string[], lexicon = buildLexicon(texts)): string =>
    judge(balanced(), measure(question, evidenceOf([...texts]), lexicon)).verdict
  const OTHERS = ['Trains leave at noon.', 'Bread is baked on Monday.']

  it('answers from a single document', () => {
    expect(verdict('What is the launch code?', ['Hello\n\nThe launch code is 7421.'])).toBe('pass')
    expect(verdict('What is the launch code?', ['The launch code is 7421.', ...OTHERS])).toBe('pass')
  })

  it('never passes a question of which half is unsupported', () => {
    expect(verdict('What is the launch code?', ['Launch parties are held on Friday.', ...OTHERS])).not.toBe('pass')
  })

  it('refuses a question about a place that is only mentioned, with and without a lexicon', () => {
    const place = ['Chicago is in Illinois. Chicago has many museums. Visit Chicago in spring.']
    expect(verdict('What is the weather in Chicago?', place)).not.toBe('pass')
    expect(verdict('What is the weather in Chicago?', place, EMPTY_LEXICON)).toBe('refuse')
  })
})
