import { describe, expect, it } from 'vitest'
import { foldMarks } from '../../../src/core/text/fold-marks.ts'
import { words } from '../../../src/core/text/words.ts'
import { terms } from '../../fixtures/english.ts'

describe('foldMarks', () => {
  it.each([
    ['Résumé', 'Resume'],
    ['Ångström', 'Angstrom'],
    ['Nguyễn', 'Nguyen'],
    ['Ελλάδα', 'Ελλαδα'],
    ['ёлка', 'елка'],
    ['cafe\u0301', 'cafe'],
    ['ışık İstanbul', 'ısık Istanbul'],
    ['مُحَمَّد أَحْمَد', 'محمد احمد'],
    ['آلة سؤال إيران', 'الة سوال ايران'],
    ['फ़ोन', 'फोन'],
    ['كتــاب', 'كتاب'],
    ['प्रार्\u200dथना', 'प्रार्थना'],
    // Marks of these scripts are sounds of their own.
    ['हिन्दी', 'हिन्दी'],
    ['ガラス', 'ガラス'],
    ['한국어', '한국어'],
    ['ไทย', 'ไทย'],
    ['plain', 'plain'],
  ])('folds %s to %s', (text, folded) => {
    expect(foldMarks(text)).toBe(folded.normalize('NFC'))
  })
})

describe('words', () => {
  it.each([
    ['Turkish', 'IŞIK HIZI İSTANBUL’da', 'ışık hızı istanbul’da'],
    ['Greek', 'ΠΟΙΟΣ ΊΔΡΥΣΕ ΤΗΝ ΟΔΌ ΑΘΗΝΆΣ;', 'ποιος ίδρυσε την οδό Αθηνάς;'],
    ['Russian', 'ЁЛКА В МОСКВЕ', 'елка в Москве'],
    ['Romanian', 'ȘTIINȚĂ ÎN ŢARĂ', 'știință în țară'],
    ['Spanish', '¿CUÁNDO NACIÓ NÚÑEZ?', '¿cuándo nació Núñez?'],
    ['Vietnamese', 'ĐẠI HỌC HÀ NỘI', 'đại học Hà Nội'],
    ['Vietnamese without accents', 'DAI HOC', 'đại học'],
    ['German', 'STRASSE IN GROẞ-GERAU', 'Straße in Groß-Gerau'],
    ['Polish', 'ŁÓDŹ', 'lodz'],
    ['Danish', 'KØBENHAVN', 'kobenhavn'],
    ['Hindi', 'क\u094d\u200dषेत्र में क\u093cानून', 'क्षेत्र में क़ानून'],
    ['Thai', 'น้ำตก เอราวัณ', 'น้ำตก เอราวัณ'],
  ])('are the same in every case and normal form: %s', (_, capitals, small) => {
    const forms = [capitals, small].flatMap((text) =>
      ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form)),
    )
    for (const form of forms) expect(words(form)).toEqual(words(small))
  })

  it.each([
    ['ปี ๒๕๖๓', 'ปี 2563'],
    ['وُلد عام ١٩٨٧', 'ولد عام 1987'],
    ['سال ۱۳۹۹', 'سال 1399'],
    ['वर्ष १९४७ में', 'वर्ष 1947 में'],
    ['১৯৭১', '1971'],
  ])('have the digits of every script as ASCII digits: %s', (own, ascii) => {
    expect(words(own)).toEqual(words(ascii))
  })

  it.each([
    ['हिन्दी में कौन', 3],
    ['Ποιος ήταν', 2],
    ['Ai là người sáng lập', 5],
    // Pairs of letters, each with its marks.
    ['ผู้ก่อตั้ง', 4],
  ])('are not split at a combining mark: %s', (text, count) => {
    expect(words(text)).toHaveLength(count)
    for (const word of words(text)) expect(word).not.toMatch(/^\p{M}/u)
  })
})

describe('terms', () => {
  it('are the same with and without accents, and stemmed alike', () => {
    expect(terms('Les cafés de Genève')).toEqual(terms('les cafes de Geneve'))
    expect(terms('naïve expectations')).toEqual(['naiv', 'expect'])
  })
})
