import { describe, expect, it } from 'vitest'
import { namesOnly } from '../../../src/language/english/names-only.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'

describe('namesOnly', () => {
  it.each([
    '48213',
    'Order AB-20391.',
    'Order do-48213.',
    'Ticket no. 7, customer 1184',
    'My phone number is 555-0142.',
    'Tel: +49 170 1234567',
    'Regards, Maria Schneider',
    'Yours, Peter',
    '~Jenny',
    '/Tom',
    'Kind regards Jörg',
    'Kind regards from Lisbon',
    'Dear Ms. Hoffmann,',
    'Hello Priya',
    'Take care, Tom',
    'Good evening from Nairobi,',
    'Cheers, Anne-Marie O’Neill',
    '(48213)',
    '48213, 48214, 48215',
    'Regards, Maria.',
    'Regards, Maria!!',
    'Regards, Anna Maria Schneider',
    'I am Ann Miller.',
    'My name is Ann Miller.',
    "I'm Jörg",
    'I am customer 1184.',
    'ann.miller@example.com',
    'My e-mail is ann.miller@mail.example.co.uk.',
    'Regards, Ann Miller <ann@example.com>',
    'https://example.com',
    'See https://portal.example.com/orders/48213.',
    'www.example.com/a/7?id=8',
    'id=7',
    '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
    'd41d8cd98f00b204e9800998ecf8427e',
    'd41d8cd98f00b204e9800998ecf8427e34567890',
    '1Z999AA10123456784',
    'ref#99817',
    '٤٨٢١٣',
    'Order ४८२१३',
    'Order no. 48213, placed on 12/05/2026.',
    'Invoice 7 on 12/05/2026',
    'Version 4.2.1',
    '– John',
    'Love, Grandma',
    'Warmly, Grandma',
    'Yours, Anna',
    'Yours faithfully, Anna Meyer',
    'Anna here.',
    '– Émile',
    'Best, Özlem Yılmaz',
    'My name is Łukasz.',
    'Øystein here.',
    '@support',
    'Contact: joe@web.de',
    '(see example.com)',
    'Ref. 48213...',
    'screenshot.png attached',
  ])('is true for %j', (sentence) => {
    expect(namesOnly(sentence, new Set())).toBe(true)
  })

  it.each([
    'Order AB-20391?',
    'Error 48213.',
    'Regards, write me a poem',
    'Regards, Write Poems',
    'Dear Tell Stories',
    'Hope Diamond',
    'Sorry Day',
    'Pardon Edict',
    'Regards, Maria Schneider sings of ships',
    'Regards, Ships Sail Under Stars',
    'Maria Schneider',
    '87 114 105 116 101',
    'order order order order order 1',
    'The year is 1912',
    'a1b2c3d4e5f6g7h8i9j0k1l2m3n4',
    'I am looking for Chicago',
    'I am Write Poems',
    'Regards, What-Is-The-Weather-In-Chicago',
    'Regards, TellMeAJoke',
    'who.won.the.2014.cup',
    // Text in hexadecimal, decimal and Base64; a sum.
    '54656c6c206d652061206a6f6b65',
    '54656c6c-206d6520-61206a6f-6b65',
    '084-101-108-108-032-109-101-032-097-032-106',
    'VGVsbCBtZSBhIGpva2U',
    '12*12=',
    '48/6+11=',
    '1what 2is 3weather',
    'how2x',
    'https://x.com/what-is-the-weather-in-chicago',
    'https://x.com/weather/chicago',
    'https://x.com/?q=weather+chicago',
    'https://x.com/%77eather/%63hicago',
    'https://x.com/天气芝加哥',
    'https://what-is-the-weather-in-chicago.com',
    'weather.in.chicago.now@x.com',
    'write.poem@ships.com',
    'tell.joke',
    '@what',
    'Love songs',
    'Family Plan',
    'Monthly Subscription',
    'Reply Latin Haiku',
    'Italy',
    'ASP.NET',
    'Vue.js',
    '– poems',
    'Anna here sings',
    'poems here',
    'Who was 1789',
    'Can 1789',
  ])('is false for %j', (sentence) => {
    expect(namesOnly(sentence, new Set())).toBe(false)
  })
})

describe('questionParts', () => {
  it.each([
    ['[TICKET-8841] How do I rotate keys?', 'How do I rotate keys?'],
    ['[urgent] How do I rotate keys?', 'How do I rotate keys?'],
    ['[Windows] How do I rotate keys?', '[Windows] How do I rotate keys?'],
    ['[write 5 poems] How do I rotate keys?', '[write 5 poems] How do I rotate keys?'],
    ['@support How do I rotate keys?', 'How do I rotate keys?'],
    ['@support, how do I rotate keys?', 'how do I rotate keys?'],
    ['@media queries how do I use them?', '@media queries how do I use them?'],
    ['@types/node How do I install it?', '@types/node How do I install it?'],
    ['@what How do I rotate keys?', '@what How do I rotate keys?'],
  ])('removes the code from %j', (sentence, rest) => {
    expect(questionParts(sentence).bare).toBe(rest)
  })
})

it('further sentences with only a name are judged, because together they could ask something', () => {
  const { parts } = questionParts('How do I rotate keys? Weather-1. Chicago-2. Today-3. Forecast-4. Storms-5.')
  expect(parts).toEqual(['How do I rotate keys?', 'Storms-5.'])
})

it('a sentence that would be names but for a question word counts among the names of a question', () => {
  const { parts } = questionParts('How do I rotate keys? Regards, How Were Some. Regards, Modern Economic.')
  expect(parts).toEqual(['How do I rotate keys?', 'Modern Economic.'])
})

it.each([
  'How do I rotate keys? Regards, Napoleon. Who is he and what did he do?',
  'How do I rotate keys? Ref 1789. What was that?',
  'I am Taylor Swift. Who am I? How do I rotate keys?',
])('a question that may be about the name makes it a statement: %j', (question) => {
  expect(questionParts(question)).toMatchObject({ states: true })
  expect(questionParts('How do I rotate keys? Regards, Napoleon.')).not.toHaveProperty('states')
})

it('a name without which nothing is asked is part of the question', () => {
  expect(questionParts('package.json. What does it do?').bare).toBe('package.json. What does it do?')
})

it('a name before a comma is not part of the question', () => {
  expect(questionParts('I am Ann Miller, how do I rotate keys?').bare).toBe('how do I rotate keys?')
})

it('a number, code or name after a question is not part of it', () => {
  const { bare, parts } = questionParts('How long is a strong answer cached? 48213. Regards, Maria Schneider')
  expect([bare, parts]).toEqual(['How long is a strong answer cached?', ['How long is a strong answer cached?']])
})
