import { describe, expect, it } from 'vitest'
import { foldMarks } from '../../../src/core/text/fold-marks.ts'
import { terms } from '../../fixtures/english.ts'

describe('foldMarks', () => {
  it.each([
    ['Résumé', 'Resume'],
    ['Ångström', 'Angstrom'],
    ['Nguyễn', 'Nguyen'],
    ['Ελλάδα', 'Ελλαδα'],
    ['ёлка', 'елка'],
    ['cafe\u0301', 'cafe'],
    // Marks of these scripts are sounds of their own.
    ['हिन्दी', 'हिन्दी'],
    ['ガラス', 'ガラス'],
    ['한국어', '한국어'],
    ['ไทย', 'ไทย'],
    ['plain', 'plain'],
  ])('%s: %s', (text, folded) => {
    expect(foldMarks(text)).toBe(folded.normalize('NFC'))
  })
})

describe('terms', () => {
  it('are the same with accents and without, and stemmed alike', () => {
    expect(terms('Les cafés de Genève')).toEqual(terms('les cafes de Geneve'))
    expect(terms('naïve expectations')).toEqual(['naiv', 'expect'])
  })
})
