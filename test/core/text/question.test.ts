import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requireQuestion } from '../../../src/core/text/question.ts'
import { anyText } from '../../fixtures/any-text.ts'

describe('requireQuestion', () => {
  it('gives every spelling of a question the same text', () => {
    expect(requireQuestion('  Is the cafe\u0301\u00a0open\n now? ')).toBe('Is the caf\u00e9 open now?')
  })

  it.each([
    ['half a surrogate pair', 'engine \ud800', 'invalid_unicode'],
    ['halves in the wrong order', '\udc00\ud800', 'invalid_unicode'],
    ['NUL', 'a\u0000b', 'control_character'],
    ['ESC', '\u001b[31m', 'control_character'],
    ['a C1 control', 'a\u0085b', 'control_character'],
    ['nothing', '', 'question_required'],
    ['spaces alone', ' \t\u3000\n', 'question_required'],
    ['characters that nobody sees', '\u200b \u202e\u00ad', 'question_required'],
  ])('takes no %s', (_name, text, code) => {
    expect(() => requireQuestion(text, 'q')).toThrow(expect.objectContaining({ code, param: 'q' }))
  })

  it('gives well-formed text that stays as it is when read again, or an error, for any text', () => {
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
