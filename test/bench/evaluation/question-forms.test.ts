/** The polite forms that `npm run bench -- sturdiness` measures leave of a question what is asked, so that they cannot change its verdict. */
import { expect, it } from 'vitest'
import { QUESTION_FORMS } from '../../../bench/evaluation/question-forms.ts'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'
import { terms } from '../../fixtures/english.ts'

const QUESTIONS = [
  'How do I install a package?',
  'Who pays the tax?',
  'Getting things out of math mode',
  'The lifetime of a cached answer',
  'Vitamin D reduces the risk of a fracture',
]
const askedTerms = (question: string): readonly string[] => terms(questionParts(normaliseQuestion(question)).bare)

it.each(['Hello … Thanks!', 'Could you please tell me', 'I would like to know'])('%s', (form) => {
  for (const question of QUESTIONS) {
    expect(askedTerms(QUESTION_FORMS[form]!(question, 0)), question).toEqual(askedTerms(question))
  }
})
