import { describe, expect, it } from 'vitest'
import { withoutTalk } from '../../../src/language/english/small-talk.ts'
import { growth, PROPORTION } from '../../growth.ts'

describe('withoutTalk', () => {
  it.each([
    'Hello, what is a float? Thanks!',
    'Hi there! Could you please tell me: what is a float? Thank you very much.',
    'Good morning, I would like to know what is a float',
    "I'd like to know: what is a float, please.",
    'I was wondering what is a float',
    'We have a quick question about what is a float',
    'Do you happen to know what is a float? Many thanks in advance!',
    'Please explain to me what is a float',
    'PLEASE TELL US WHAT IS A FLOAT',
    'Would you happen to know what is a float?',
    'I have a question on what is a float',
    'Hello, hi, thanks, please, what is a float? Please. Thanks.',
    'Dear Sir, can someone explain what is a float?',
    'Sorry, excuse me, what is a float? Cheers',
    'Hey what is a float',
    'Hi everyone what is a float',
  ])('removes politeness: %s', (question) => {
    expect(withoutTalk(question).toLowerCase().replace(/\?$/, '')).toBe('what is a float')
  })

  it.each([
    'I would like to know',
    "I'd like to know",
    'We want to know',
    'I need to know about',
    'I would like to understand',
  ])('removes "%s" before a noun phrase', (wish) => {
    expect(withoutTalk(`${wish} the lifetime of an answer`)).toBe('the lifetime of an answer')
  })

  it.each([
    'What is a need to know policy?',
    'Get to know your customer',
    'I do not know the password of my account',
    'Can you use Unicode with LaTeX?',
    'Could you show hidden files on a Mac?',
    'Do you need a permit?',
    'I want to cancel my order',
    'How do I say thank you in Welsh?',
    'What does please mean?',
    'Hello World in Perl',
    'Hi8 tapes on a PC',
    'Explain quantum tunnelling',
    'Who sang Tell Me Why?',
    'High fever in infants',
    'I am 65, do I pay tax?',
    'Does anyone pay a toll?',
    'How did they find you?',
    'Whom does a library help much?',
    'Describe the siege',
    'Let us assume x is prime. Is x odd?',
    'Hello was a hit of Adele',
    'Hello can Unicode be used',
    'Know your customer well',
    'Things to know before I travel to Peru',
    'But how does it start',
  ])('keeps the question: %s', (question) => {
    expect(withoutTalk(question)).toBe(question)
  })

  it.each([
    ['Hello can we use Unicode', 'can we use Unicode'],
    ['Hi is this legal in Texas', 'is this legal in Texas'],
    ['Hi, rotating keys fails on Mondays', 'rotating keys fails on Mondays'],
    ['Sorry but rotating keys fails', 'rotating keys fails'],
    ['Please rotate the keys', 'rotate the keys'],
  ])('reduces %j to %j', (question, rest) => {
    expect(withoutTalk(question)).toBe(rest)
  })

  it.each([
    ['sorry if this is a basic question, ', ''],
    ['I searched the forums, but ', ''],
    ['', ', thanks for your help'],
    ['', ', but I have tried already'],
  ])('removes %j before and %j after a question', (before, behind) => {
    expect(withoutTalk(`${before}how does the engine start${behind}`)).toBe('how does the engine start')
  })

  it.each([
    'only if I ask',
    'unless I ask',
    'but only for beginners',
    'because I am new',
    'as I am new',
    'before I begin',
    'just before I begin',
    'at my own site',
  ])('keeps %j, which limits the question', (limit) => {
    expect(withoutTalk(`how does the engine start, ${limit}`)).toBe(`how does the engine start, ${limit}`)
  })

  it.each(['please ', ' ', '. ', ' thanks'])('takes linear time for a question of %j', async (unit) => {
    expect(await growth((text) => withoutTalk(`x${text}x`), unit, 40_000)).toBeLessThan(PROPORTION)
  })
})
