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
    ['Why dont the jobs run?', "Why don't the jobs run?"],
    ['Why can’t I log in?', 'Why cannot I log in?'],
    ['Who was the 1st woman in space?', 'Who was the first woman in space?'],
    ['Who won World War II?', 'Who won World War 2?'],
    ['What are the two rules?', 'What are the 2 rules?'],
    ['What (in short) is a well-known port?', 'What, in short, is a well known port'],
    ['What does “node.js” do?', "What does 'Node.js' do?"],
    ['What is a dash – as in text?', 'What is a dash, as in text?'],
    ['How do I install it ?', 'How does one install it?'],
    ['When does the course begin?', 'When does the course start?'],
    ['Which is the largest plan?', 'Which is the biggest plan?'],
    ['Which states of the U.S. have it?', 'Which states of the US have it?'],
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
    ['How do I migrate from 2 to 3?', 'How do I migrate from 3 to 2?', 'number'],
    ['What is the dose at 3 years and 12 kg?', 'What is the dose at 12 years and 3 kg?', 'number'],
    ['What is 5 minus 3?', 'What is 3 minus 5?', 'number'],
    ['When is v1.2.3 out?', 'When is v1.3.2 out?', 'name'],
    ['When is 1.2.3 out?', 'When is 1.3.2 out?', 'number'],
    ['What is 1/2 of it?', 'What is 2/1 of it?', 'number'],
    ['What is ½ of it?', 'What is ¼ of it?', 'number'],
    ['What is due on 3/4/2026?', 'What is due on 4/3/2026?', 'number'],
    ['Who won World War II?', 'Who won World War III?', 'number'],
    ['who won world war ii?', 'who won world war iii?', 'number'],
    ['What was built in the eighteenth century?', 'What was built in the nineteenth century?', 'number'],
    ['How do I sort in C?', 'How do I sort in C++?', 'symbol'],
    ['How do I sort in C#?', 'How do I sort in C++?', 'symbol'],
    ['How do I port C++ to C?', 'How do I port C to C++?', 'order'],
    ['What happens at -5 degrees?', 'What happens at 5 degrees?', 'symbol'],
    ['What happens at −5 degrees?', 'What happens at 5 degrees?', 'symbol'],
    ['What if x > 3?', 'What if x < 3?', 'symbol'],
    ['What is 5% of it?', 'What is 5 of it?', 'symbol'],
    ['What is 5% of 3?', 'What is 5 of 3%?', 'symbol'],
    ['What does it do for $5?', 'What does it do for €5?', 'symbol'],
    ['What is in .env?', 'What is in env?', 'symbol'],
    ['What does a ?? b give?', 'What does a ?. b give?', 'symbol'],
    ['What does [x] match?', 'What does (x) match?', 'symbol'],
    ['What does -v do?', 'What does v do?', 'symbol'],
    ['What does 👍 say?', 'What does 👎 say?', 'symbol'],
    ['How do I call f(x) & g?', 'How do I call f(x) | g?', 'symbol'],
    ['Why dont cookies stay?', 'Why do cookies stay?', 'negation'],
    ['Why didnt the job run?', 'Why did the job run?', 'negation'],
    ['Why can t I log in?', 'Why can I log in?', 'negation'],
    ['Why cant I log in?', 'Why can I log in?', 'negation'],
    ['Who may read but not write?', 'Who may not read but write?', 'order'],
    ['What is covered?', 'What is not covered?', 'negation'],
    ['What is covered?', "What isn't covered?", 'negation'],
    ['What did he do with money?', 'What did he do without money?', 'negation'],
    ['Why are they never closed?', 'Why are they closed?', 'negation'],
    ['Which roads lead north?', 'Which roads lead south?', 'opposite'],
    ['What is the most expensive plan?', 'What is the least expensive plan?', 'opposite'],
    ['What happens before the test?', 'What happens after the test?', 'opposite'],
    ['Which drugs are legal?', 'Which drugs are illegal?', 'opposite'],
    ['How do I install it?', 'How do I uninstall it?', 'opposite'],
    ['Which is older?', 'Which is younger?', 'opposite'],
    ['Who bought it?', 'Who sold it?', 'opposite'],
    ['What is the dose for 5 mg?', 'What is the dose for 5 kg?', 'opposite'],
    ['How many weeks does it take?', 'How many days does it take?', 'opposite'],
    ['Who likes tea and milk?', 'Who likes tea or milk?', 'opposite'],
    ['Who defeated Montcalm?', 'Who was defeated by Montcalm?', 'opposite'],
    ['What was ceded to Britain?', 'What was ceded to France?', 'name'],
    ['What is the capital?', 'What is the capital of Peru?', 'name'],
    ['What does the iPhone cost?', 'What does the phone cost?', 'name'],
    ['What does plan b2 cost?', 'What does the plan cost?', 'name'],
    ['what does vitamin c do?', 'what does vitamin d do?', 'name'],
    ['what is in plan a?', 'what is in the plan?', 'name'],
    ['Who won World War I?', 'Who won the World War?', 'name'],
    ['How do I go from Ann to Bob?', 'From Bob, how do I go to Ann?', 'order'],
    ['Did what gene turn alpha into beta?', 'Did what gene turn beta into alpha?', 'order'],
    ['What is Ann to Bob?', 'What is Bob to Ann?', 'order'],
    ['Who does Ann Lee owe Bob Ray?', 'Who does Bob Ray owe Ann Lee?', 'order'],
  ])('between %j and %j finds %s', (one, other, expected) => {
    const found = questionDifference(one, other)
    expect(found).toBe(expected)
    expect(questionDifference(other, one)).toBe(expected)
  })

  it('tells apart whatever numbers and symbols change places, in any question', () => {
    const word = fc.constantFrom(...'the price of plan blue for Ann rises when'.split(' '))
    const part = fc.oneof(word, fc.nat(30).map(String), fc.constantFrom('<', '>', '%', 'C++', 'C#', '-1', '.env'))
    const changes = (text: string): boolean => !/^[a-z]+$/i.test(text)
    fc.assert(
      fc.property(fc.array(part, { minLength: 2, maxLength: 8 }), fc.nat(7), fc.nat(7), (parts, from, to) => {
        const [first, second] = [parts[from % parts.length]!, parts[to % parts.length]!]
        fc.pre(changes(first) && changes(second) && first !== second)
        const swapped = parts.with(from % parts.length, second).with(to % parts.length, first)
        expect(questionDifference(`What is ${parts.join(' ')}?`, `What is ${swapped.join(' ')}?`)).toBeDefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('finds the same both ways, and nothing in a question itself unless it asks nothing', () => {
    const word = fc.constantFrom(
      ...'who what which how many not never dont 2 3 two second -5 5% C C++ > legal illegal Ann ann engine key before by the'.split(
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
