import { describe, expect, it } from 'vitest'
import { withoutCourtesies } from '../../../src/core/text/courtesies.ts'

describe('withoutCourtesies', () => {
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
  ])('takes off what politeness adds: %s', (question) => {
    expect(withoutCourtesies(question).toLowerCase().replace(/\?$/, '')).toBe('what is a float')
  })

  it.each([
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
    'İ, hello, what is this?',
    'Describe the siege',
    'Let us assume x is prime. Is x odd?',
  ])('leaves what is asked: %s', (question) => {
    expect(withoutCourtesies(question)).toBe(question)
  })

  it.each(['Thank you', 'hello', 'Please, please, please', 'Could you please tell me', ''])(
    'leaves a question that is nothing else: %s',
    (question) => {
      expect(withoutCourtesies(question)).toBe(question)
    },
  )

  it('takes time in proportion to the question', () => {
    const long = `${'please '.repeat(5000)}what is a float${' thanks'.repeat(2)}`
    const startedMs = performance.now()
    withoutCourtesies(long)
    withoutCourtesies(`${' '.repeat(20_000)}x`)
    withoutCourtesies(`x${'. '.repeat(20_000)}x`)
    expect(performance.now() - startedMs).toBeLessThan(1000)
  })
})
