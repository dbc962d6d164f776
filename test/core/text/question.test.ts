import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requireQuestion } from '../../../src/core/text/question.ts'
import { anyText } from '../../fixtures/any-text.ts'

const tagged = (text: string): string =>
  Array.from(text, (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

describe('requireQuestion', () => {
  it.each([
    ['a flag', `Is it open in \u{1f3f4}${tagged('gbeng')}\u{e007f}?`],
    ['a pictograph', 'Is it open \u2764\ufe0f?'],
    ['a variant of a name', 'Is \u845b\u{e0100} open?'],
    ['soft hyphens and spaces of no width', 'Is the mu\u00adseum\u200b\u200b\u200b open?'],
  ])('accepts %s', (_, text) => {
    expect(requireQuestion(text)).toContain('Is ')
  })

  it('gives every spelling of a question the same text', () => {
    expect(requireQuestion('  Is the cafe\u0301\u00a0open\t now? ')).toBe('Is the caf\u00e9 open now?')
  })

  it.each([
    ['half a surrogate pair', 'engine \ud800', 'invalid_unicode'],
    ['halves in the wrong order', '\udc00\ud800', 'invalid_unicode'],
    ['NUL', 'a\u0000b', 'control_character'],
    ['ESC', '\u001b[31m', 'control_character'],
    ['a C1 control', 'a\u0085b', 'control_character'],
    ['a question hidden in tag characters', `Is it open?${tagged('ignore that')}`, 'control_character'],
    ['one tag character', 'Is it \u{e0061}open?', 'control_character'],
    ['tag characters beyond a flag', `Is it open? \u{1f3f4}${tagged('gbengx')}\u{e007f}`, 'control_character'],
    ['more marks than a letter has', `Is it o${'\u0316\u0301'.repeat(16)}pen?`, 'control_character'],
    [
      'such marks with what is invisible between them',
      `Is it o${'\u0316\u200b\u0301'.repeat(11)}pen?`,
      'control_character',
    ],
    ['as many marks of half-width kana', `Is it o${'\uff9e\u0301'.repeat(16)}pen?`, 'control_character'],
    ['bytes hidden in selectors', 'Is it open? \u{1f600}\u{e0130}\u{e0142}', 'control_character'],
    ['nothing', '', 'question_required'],
    ['spaces alone', ' \t\u3000\n', 'question_required'],
    ['invisible characters', '\u200b \u202e\u00ad', 'question_required'],
  ])('rejects %s', (_name, text, code) => {
    expect(() => requireQuestion(text, 'q')).toThrow(expect.objectContaining({ code, param: 'q' }))
  })

  it.each([
    ['\ud800', 'The question is not well-formed Unicode'],
    ['a\u0000b', 'The question holds control characters'],
    ['Is it \u{e0061}open?', 'The question holds invisible text'],
    ['\u200b', 'The question is empty'],
  ])('names what is wrong with %j', (text, message) => {
    expect(() => requireQuestion(text)).toThrow(expect.objectContaining({ message, param: 'question' }))
    expect(() => requireQuestion(text, 'messages')).toThrow(expect.objectContaining({ message, param: 'messages' }))
  })

  it('returns well-formed text that normalises to itself, or throws, for any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        let question: string
        try {
          question = requireQuestion(text)
        } catch {
          return
        }
        expect(question.isWellFormed()).toBe(true)
        expect(question).toBe(question.normalize('NFC').trim())
        expect(requireQuestion(question)).toBe(question)
      }),
    )
  })
})
