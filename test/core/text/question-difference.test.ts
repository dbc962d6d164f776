import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { questionDifference } from '../../../src/core/text/question-difference.ts'

describe('questionDifference', () => {
  it.each([
    ['How does the engine start?', 'How does an engine start'],
    ['Which city is the capital of Peru?', 'What city is the capital of Peru?'],
    ['What year was the treaty signed?', 'What was the year the treaty was signed?'],
    ['In which year did the plant close?', 'Which year did the plant close in?'],
    ['In the manual, what does the red key do?', 'What does the red key do in the manual?'],
    ['Who were the teachers of Ann Lee?', 'Who was the teacher of Ann Lee?'],
    ['How many of the 1,000 users paid?', 'How many of the 1000 users paid?'],
    ["What isn't covered?", 'What is not covered?'],
    ['What is ANN LEE known for?', 'What is Ann Lee known for?'],
  ])('finds none between %j and %j', (one, other) => {
    expect(questionDifference(one, other)).toBeUndefined()
  })

  it.each([
    ['Who founded the club?', 'When was the club founded?', 'question-word'],
    ['How many seats has the bus?', 'How far has the bus gone?', 'question-word'],
    ['How long is the bus?', 'How often does the bus go?', 'question-word'],
    ['Tell me about the bus', 'Tell me about the bus', 'question-word'],
    ['Wann fährt der Bus?', 'Wann fährt der Bus nicht?', 'question-word'],
    ['Who won in 2014?', 'Who won in 2015?', 'number'],
    ['What are the two rules?', 'What are the three rules?', 'number'],
    ['Who won in 2014?', 'Who won?', 'number'],
    ['Who came in third?', 'Who came in 2nd?', 'number'],
    ['Who was the 1st king?', 'Who was the 1 king?', 'number'],
    ['What costs 3.5 euros?', 'What costs 3.6 euros?', 'number'],
    ['What is covered?', 'What is not covered?', 'negation'],
    ['What is covered?', "What isn't covered?", 'negation'],
    ['What did he do with money?', 'What did he do without money?', 'negation'],
    ['Why are they never closed?', 'Why are they closed?', 'negation'],
    ['Which roads lead north?', 'Which roads lead south?', 'opposite'],
    ['What is the most expensive plan?', 'What is the least expensive plan?', 'opposite'],
    ['What happens before the test?', 'What happens after the test?', 'opposite'],
    ['Which drugs are legal?', 'Which drugs are illegal?', 'opposite'],
    ['How do I install it?', 'How do I uninstall it?', 'opposite'],
    ['Who defeated Montcalm?', 'Who was defeated by Montcalm?', 'opposite'],
    ['What was ceded to Britain?', 'What was ceded to France?', 'name'],
    ['What is the capital?', 'What is the capital of Peru?', 'name'],
    ['What does the iPhone cost?', 'What does the phone cost?', 'name'],
    ['What does plan b2 cost?', 'What does the plan cost?', 'name'],
    ['Did what gene turn alpha into beta?', 'Did what gene turn beta into alpha?', 'order'],
    ['What is Ann to Bob?', 'What is Bob to Ann?', 'order'],
    ['Who does Ann Lee owe Bob Ray?', 'Who does Bob Ray owe Ann Lee?', 'order'],
  ])('between %j and %j finds %s', (one, other, expected) => {
    const found = questionDifference(one, other)
    expect(found).toBe(expected)
    expect(questionDifference(other, one)).toBe(expected)
  })

  it('finds the same both ways, and nothing in a question itself unless it asks nothing', () => {
    const word = fc.constantFrom(
      ...'who what which how many not never 2 two second legal illegal Ann ann engine key before after by the of'.split(
        ' ',
      ),
    )
    const question = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(question, question, (one, other) => {
        expect(questionDifference(one, other) === undefined).toBe(questionDifference(other, one) === undefined)
        const itself = questionDifference(one, one)
        expect(itself).toBe(/\b(who|what|which|how)\b/.test(one) ? undefined : 'question-word')
      }),
      { numRuns: 2000 },
    )
  })
})
