import { describe, expect, it } from 'vitest'
import { namesOnly, withoutCode } from '../../../src/language/english/names-only.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'

describe('namesOnly', () => {
  it.each([
    '48213',
    'Order AB-20391.',
    'Ticket no. 7, customer 1184',
    'My phone number is 555-0142.',
    'Regards, Maria Schneider',
    'Kind regards Jörg',
    'Cheers, Anne-Marie O’Neill',
    '(48213)',
    '48213, 48214, 48215',
    'Regards, Maria.',
    'Regards, Maria!!',
    'Regards, Anna Maria Schneider',
  ])('knows %j', (sentence) => {
    expect(namesOnly(sentence)).toBe(true)
  })

  it.each([
    'Order AB-20391?',
    'Error 48213.',
    'Regards, write me a poem',
    'Regards, Write Poems',
    'Regards, Maria Schneider sings of ships',
    'Regards, Ships Sail Under Stars',
    'Maria Schneider',
    '87 114 105 116 101',
    'order order order order order 1',
    'The year is 1912',
    'a1b2c3d4e5f6g7h8i9j0k1l2m3n4',
    '',
  ])('leaves %j to be judged', (sentence) => {
    expect(namesOnly(sentence)).toBe(false)
  })
})

describe('withoutCode', () => {
  it.each([
    ['[TICKET-8841] How do I rotate keys?', 'How do I rotate keys?'],
    ['[urgent] How do I rotate keys?', '[urgent] How do I rotate keys?'],
    ['[write 5 poems] How do I rotate keys?', '[write 5 poems] How do I rotate keys?'],
  ])('takes the code off %j', (sentence, rest) => {
    expect(withoutCode(sentence)).toBe(rest)
  })
})

it('a number, a code or a name behind a question is no part of it', () => {
  const { bare, parts } = questionParts('How long is a strong answer cached? 48213. Regards, Maria Schneider')
  expect([bare, parts]).toEqual(['How long is a strong answer cached?', ['How long is a strong answer cached?']])
})
