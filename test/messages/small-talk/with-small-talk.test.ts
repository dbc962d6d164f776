import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as smallTalk from '../../../packages/messages/src/small-talk/index.ts'
import { GROUPS } from '../../../packages/messages/src/small-talk/word-groups.ts'
import type { Language } from '../../../src/core/text/language.ts'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { words } from '../../../src/core/text/words.ts'
import { english } from '../../../src/language/english/english.ts'
import { growth, PROPORTION } from '../../growth.ts'

const { languages, withSmallTalk, ...LISTS } = smallTalk

/** Shows what a language would be given. */
const ECHO: Language = { ...english, partsOf: (question) => ({ bare: question, parts: [question] }) }
const leftOf = (question: string, lists: readonly smallTalk.SmallTalk[]): string =>
  withSmallTalk(ECHO, lists).partsOf(question).bare

interface Examples {
  /** A whole question. */
  readonly question: string
  /** Messages of which only the question is left; `{}` stands for it. */
  readonly leaves: readonly string[]
  /** Messages, and what must be left of them. */
  readonly keeps: readonly (readonly [message: string, kept: string])[]
  /** Requests that name something in words that greetings have as well: some of each must be left behind the question. */
  readonly requests: readonly string[]
}

const EXAMPLES = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Examples>
>
const ALL = withSmallTalk(english, languages)

const MADE_UP: smallTalk.SmallTalk = {
  talk: 'moin gruess- frage sag danke such-',
  beside: 'ich dir kurze mir noch eine hab ob',
  denials: 'nichts nicht',
  documents: 'doku',
  asks: 'wie ob',
  leads: 'dass',
  ends: 'bitte',
  closings: 'grüße',
  requests: 'sag such-',
  names: 'liebe chef',
  labels: 'nummer nr',
}
const OTHER: smallTalk.SmallTalk = {
  talk: '请 谢谢 请问 说明',
  beside: '我 一下',
  denials: '',
  documents: '',
  asks: '',
  leads: '说明一下',
  ends: '谢谢',
  closings: '',
  requests: '说明 人',
  names: '人 谢谢',
  labels: '号码',
  exact: true,
}

describe('small talk', () => {
  it.each([
    ['Moin! Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Kurze Frage: Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Grueß dich, wie alt ist das Haus?', 'Grueß dich, wie alt ist das Haus?'],
    ['Grueß dir, wie alt ist das Haus?', 'wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Danke', 'Wie alt ist das Haus?'],
    ['Sag mir wie alt das Haus ist', 'wie alt das Haus ist'],
    ['Sag mir, ob das Haus alt ist', 'ob das Haus alt ist'],
    ['Sag mir dass das Haus alt ist', 'das Haus alt ist'],
    ['Wie alt ist das Haus bitte?', 'Wie alt ist das Haus ?'],
    ['Wie alt ist das Haus bitte danke?! Wem gehört es?', 'Wie alt ist das Haus ?! Wem gehört es?'],
    ['Wie alt ist das Haus? Ich hab nichts. Such nichts.', 'Wie alt ist das Haus? Ich hab nichts.'],
    ['Doku: Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Nicht doku such! Wie alt ist das Haus?', 'Nicht doku such! Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Grüße, Anna Meyer', 'Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Grusse Anna', 'Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Grüße an ganz Wien', 'Wie alt ist das Haus? Grüße an ganz Wien'],
    ['Ich dir mir', 'Ich dir mir'],
    ['Moin, Danke!', 'Moin, Danke!'],
    ['Haus, Moin, Garten?', 'Haus, Garten?'],
    ['请问房子多老？谢谢', '请问房子多老?'],
    ['请说明一下房子多老', '房子多老'],
    ['说明书 谢谢', '说明书'],
    ['请 Moin 房子', 'Moin 房子'],
    ['请undefined！房子', '请undefined!房子'],
    ['İsim Sag mir wie', 'İsim Sag mir wie'],
    ['Wie such ich dir? Wem gehört das Haus?', 'Wie such ich dir? Wem gehört das Haus?'],
    ['Wie sag ich bitte? Wem gehört das Haus?', 'Wie sag ich bitte? Wem gehört das Haus?'],
    ['Sag mir wie? Wem gehört das Haus?', 'Wem gehört das Haus?'],
    ['Ob ich frage? Wem gehört das Haus?', 'Wem gehört das Haus?'],
    ['Bitte! Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Größte Frage: Wie alt?', 'Größte Frage: Wie alt?'],
    ['Súche ich, wie alt ist das Haus?', 'wie alt ist das Haus?'],
    ['Danke.Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Wie alt ist danke.de?', 'Wie alt ist danke.de?'],
    ['Moin: Wie alt ist www.danke.de bitte?', 'Wie alt ist www.danke.de ?'],
    ['Moin chef! Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Frage: Chef, danke. Wie alt ist das Haus?', 'Chef, Wie alt ist das Haus?'],
    ['Chef, sag mir: Wie alt ist das Haus?', 'Chef, Wie alt ist das Haus?'],
    ['Ich frage dir chef sag mir. Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Sag mir chef. Wie alt ist das Haus?', 'Sag mir chef. Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Such dir bitte liebe!', 'Wie alt ist das Haus? Such dir bitte liebe!'],
    ['Sag mir Moin chef. Wie alt ist das Haus?', 'Wie alt ist das Haus?'],
    ['Sag chef. Wie alt ist das Haus?', 'Sag chef. Wie alt ist das Haus?'],
    ['Sag mir chef, wie alt ist das Haus?', 'Sag mir chef, wie alt ist das Haus?'],
    ['Sag mir chef wie alt das Haus ist', 'Sag mir chef wie alt das Haus ist'],
    ['Wie alt ist das Haus bitte sag mir chef', 'Wie alt ist das Haus bitte sag mir chef'],
    ['Wie alt ist das Haus? 请说明人', 'Wie alt ist das Haus? 请说明人'],
    ['房人谢谢', '房人'],
    ['Wie alt ist das Haus? Nummer AB-20391X7, Nr. 1Z999AA10.', 'Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Nummer: AB-20391.', 'Wie alt ist das Haus?'],
    ['Wie alt ist das Haus? Nr.: #7', 'Wie alt ist das Haus?'],
    ['Moin Nummer! Wie alt ist das Haus?', 'Moin Nummer! Wie alt ist das Haus?'],
    ['Danke. 7 Fragen: Wie alt ist das Haus?', '7 Fragen: Wie alt ist das Haus?'],
    ['Frage: S3 oder das Haus?', 'S3 oder das Haus?'],
    ['Wie alt ist das Haus? Nummer 2tell-me-a-joke', 'Wie alt ist das Haus? Nummer 2tell-me-a-joke'],
    ['Wie alt ist das Haus? Nr 84 101. Nr 108 108. Nr 32', 'Wie alt ist das Haus? Nr 84 101. Nr 108 108. Nr 32'],
    ['Wie alt ist https://moin.example/frage.html?', 'Wie alt ist https://moin.example/frage.html?'],
  ])('%j becomes %j', (question, left) => {
    expect(leftOf(normaliseQuestion(question), [MADE_UP, OTHER])).toBe(left)
  })

  it('is left alone in questions in the language itself, and without lists', () => {
    expect(leftOf('Sag, how do I ask for the house?', [MADE_UP])).toBe('Sag, how do I ask for the house?')
    expect(leftOf('Moin! Wie alt?', [])).toBe('Moin! Wie alt?')
  })

  it('has no entries in empty lists, and none of spaces', () => {
    const empty = { ...MADE_UP, asks: '', leads: '', denials: ' nichts  nicht ' }
    for (const question of ['Sag mir undefined Haus', 'Moin undefined: Haus', '\u0301: Haus']) {
      expect(leftOf(question, [empty])).toBe(question)
    }
  })

  it('matches words without their accents only where these do not tell words apart', () => {
    const exact = { ...OTHER, talk: 'ma' }
    expect(leftOf('Má! Haus', [exact])).toBe('Má! Haus')
    expect(leftOf('Ma! Haus', [exact])).toBe('Haus')
    expect(leftOf('Gróßes! Haus', [{ ...MADE_UP, talk: 'größ-' }])).toBe('Haus')
    expect(leftOf('Grösseres! Haus', [{ ...MADE_UP, talk: 'größe' }])).toBe('Grösseres! Haus')
  })

  it.each([
    ['Hi there! Rotate signing keys?', 'Rotate signing keys?'],
    ['Rotate signing keys? Thanks, Mike', 'Rotate signing keys?'],
    ['hey guys, rotate signing keys', 'rotate signing keys'],
    ['Ciao! Rotate signing keys?', 'Rotate signing keys?'],
  ])('leaves no more than the language itself of keywords: %s', (message, left) => {
    expect(ALL.partsOf(message).bare).toBe(left)
  })

  it('must be in one language in each clause', () => {
    const first = { ...MADE_UP, talk: 'moin', beside: '' }
    const second = { ...MADE_UP, talk: '', beside: 'dir' }
    expect(leftOf('Moin dir! Haus?', [first, second])).toBe('Moin dir! Haus?')
    expect(leftOf('Moin dir! Haus?', [{ ...first, beside: 'dir' }, second])).toBe('Haus?')
  })

  it('is read in phrases of one language where there are any, and anew after other words', () => {
    const first = { ...OTHER, talk: '你 好吗 吧', beside: '', leads: '' }
    const second = { ...OTHER, talk: '好吗吧 房', beside: '', leads: '' }
    expect(leftOf('你好吗吧!花园', [first, second])).toBe('花园')
    expect(leftOf('你树好吗吧!花园', [first, second])).toBe('你树好吗吧!花园')
    expect(leftOf('树房!花园', [first, { ...second, ends: '房' }])).toBe('树!花园')
  })

  it('leaves some of each question, in its order', () => {
    const text = fc.array(fc.constantFrom(...'Moin sag mir wie Haus alt bitte grüße 请 说明 房 . , ? ! ¿'.split(' ')), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(text, (said) => {
        const question = said.join(' ')
        const left = leftOf(question, [MADE_UP, OTHER])
        const letters = Array.from(left.replaceAll(/\s/g, ''))
        let at = 0
        for (const letter of question) if (letter === letters[at]) at++
        expect(at).toBe(letters.length)
        if (words(question).length > 0) expect(words(left).length).toBeGreaterThan(0)
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['frage ', '请', 'x', '?!', 'a, ', '¿ ', 'wie sag ', '说', 'bitte ', 'a.', ':a1'])(
    'takes linear time: %j',
    async (unit) => {
      const { partsOf } = withSmallTalk(ECHO, languages)
      // The lists are read once.
      partsOf('Moin')
      expect(await growth(partsOf, unit, 32_000)).toBeLessThan(PROPORTION)
    },
  )
})

describe.each(Object.entries(LISTS))('the lists of %s', (_, list) => {
  it.each(GROUPS)('have well-formed entries: %s', (group) => {
    const entries = list[group].split(' ').filter((entry) => entry !== '')
    expect(entries).toEqual([...new Set(entries)])
    for (const entry of entries) {
      expect(entry).toBe(entry.toLowerCase().normalize('NFC'))
      expect(entry).toMatch(/^[\p{L}\p{M}\p{N}]+-?$/u)
      if (list.exact !== true) expect(words(entry)).toHaveLength(1)
    }
  })

  it('have words of one letter only beside others', () => {
    if (list.exact === true) return
    for (const group of GROUPS.filter((each) => each !== 'beside' && each !== 'asks' && each !== 'denials')) {
      expect(list[group].split(' ').filter((entry) => entry.replace('-', '').length === 1)).toEqual([])
    }
  })
})

describe.each(Object.entries(EXAMPLES))('messages in %s', (_, { question, leaves, keeps, requests }) => {
  const left = (text: string): string => ALL.partsOf(normaliseQuestion(text)).bare
  const sorted = (text: string): string => words(text).sort().join(' ')

  it.each(leaves)('ask only the question: %s', (message) => {
    expect(sorted(left(message.replace('{}', question)))).toBe(sorted(left(question)))
  })

  it.each(keeps)('keep what else they say: %s', (message, kept) => {
    const plain = (text: string): string => normaliseQuestion(text).toLowerCase()
    expect(plain(left(message))).toContain(plain(kept))
  })

  it.each(requests)('keep what a request names: %s', (request) => {
    const both = normaliseQuestion(`${question} ${request}`)
    expect(words(leftOf(both, languages)).length).toBeGreaterThan(
      words(leftOf(normaliseQuestion(question), languages)).length,
    )
  })
})

it('is an asset of the ready Worker as in the package', async () => {
  const asset = join('..', '..', '..', 'workers', 'gate', 'public', 'v1', 'small-talk.json')
  await expect(`${JSON.stringify(languages)}\n`).toMatchFileSnapshot(asset)
})
