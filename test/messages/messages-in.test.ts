import { join } from 'node:path'
import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { NAMED_POLICIES } from '../../packages/presets/src/named/index.ts'
import { ARABIC, CHINESE, FRENCH, GERMAN, messagesIn, SPANISH, type Texts } from '../../packages/messages/src/index.ts'
import { defineRule } from '../../src/core/policy/rules.ts'
import { aGate, MIDDLING } from '../fixtures/gate.ts'

const LANGUAGES = { de: GERMAN, fr: FRENCH, es: SPANISH, zh: CHINESE, ar: ARABIC }
const messages = messagesIn(LANGUAGES)

const asking = (header?: string): Context => ({ req: { header: () => header } }) as unknown as Context

/** Codes that say nothing to callers: everything passed, or another gate judges. */
const SILENT = ['passed', 'judged_with_answer', 'graded_already', 'not_graded', 'no_keywords']

describe('texts in five languages', () => {
  const codes = [...new Set(Object.values(NAMED_POLICIES).flatMap((make) => Object.keys(make().texts)))]

  it.each(Object.entries(LANGUAGES))('exist in %s for every code of the named policies', (_, texts) => {
    const own = Object.assign({}, ...Object.values(NAMED_POLICIES).map((make) => make().texts)) as Record<
      string,
      { answer: string; suggestions: readonly string[] }
    >
    expect(codes.filter((code) => texts[code] === undefined).sort()).toEqual([...SILENT].sort())
    for (const code of codes.filter((each) => !SILENT.includes(each))) {
      const text = texts[code]!
      expect([code, text.answer !== '', text.reason !== '']).toEqual([code, own[code]!.answer !== '', true])
      expect(text.suggestions.every((suggestion) => suggestion.length > 3)).toBe(true)
      expect(text.answer).not.toMatch(/\.\.|[a-z][A-Z]/)
    }
  })

  it('share no sentence between languages', () => {
    const said = Object.values(LANGUAGES).map(
      (texts) => new Set(Object.values(texts).flatMap(({ reason, suggestions }) => [reason, ...suggestions])),
    )
    expect(new Set(said.flatMap((sentences) => [...sentences])).size).toBe(5 * said[0]!.size)
    expect(CHINESE['confidence_low']!.answer).toMatch(/^[\p{Script=Han}\p{P}]+$/u)
    expect(ARABIC['confidence_low']!.answer).toMatch(/^[\p{Script=Arabic}\p{M}\p{P}\s]+$/u)
  })
})

describe('the language of a request', () => {
  it.each(['de-CH', 'DE', 'en', ''])('would never have the texts of %j, which are rejected', (name) => {
    expect(() => messagesIn({ [name]: GERMAN })).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })

  it.each([
    [undefined, ''],
    ['', ''],
    ['*', ''],
    ['en', ''],
    ['en-GB,de;q=0.9', ''],
    ['de-CH', 'de'],
    ['DE', 'de'],
    ['it, de;q=0.5', 'de'],
    ['de;q=0.5, fr;q=0.7', 'fr'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de;q=x', ''],
    ['zh-Hant-TW, en;q=0.8', 'zh'],
    ['es;level=1;q=0.3, ar;q=0.2', 'es'],
    ['constructor', ''],
    [`${'it,'.repeat(30)}de`, ''],
  ])('for %j is %j', (header, language) => {
    expect(messages.key(asking(header))).toBe(language)
    expect(messages('no_evidence', asking(header))).toEqual(
      language === '' ? undefined : LANGUAGES[language as keyof typeof LANGUAGES]['no_evidence'],
    )
  })

  it('stays as it was when its answer key was made, although texts are loaded later', () => {
    const loaded: Record<string, Texts> = {}
    const later = messagesIn(loaded)
    const c = asking('de')
    expect(later.key(c)).toBe('')
    loaded['de'] = GERMAN
    expect(later('no_evidence', c)).toBeUndefined()
    expect(later('no_evidence', asking('de'))).toBe(GERMAN['no_evidence'])
  })

  it('is used for refusals, which are stored separately for each language', async () => {
    const { ask } = aGate({ messages, finds: [] })
    const answer = async (header: string): Promise<[string, string | null]> => {
      const response = await ask(undefined, { 'accept-language': header })
      const body = (await response.json()) as { answer: string }
      return [body.answer, response.headers.get('cache-status')]
    }
    const [german] = await answer('de-DE,de;q=0.9,en;q=0.8')
    expect(german).toBe(GERMAN['no_evidence']!.answer)
    const [again, status] = await answer('de-CH')
    expect([again, status]).toEqual([german, expect.stringContaining('hit')])
    expect((await answer('fr'))[0]).toBe(FRENCH['no_evidence']!.answer)
    expect((await answer('en'))[0]).toContain('I cannot answer')
  })

  it("is used for cautions, which are in the handler's own words otherwise", async () => {
    const { ask } = aGate({
      finds: [MIDDLING],
      messages,
      handler: (c) => c.json({ caution: 'Take care', ...c.var.ragGate.summary }),
    })
    const said = async (header: string) =>
      (await (await ask(undefined, { 'accept-language': header })).json()) as { caution: string; verdict: string }
    expect(await said('de')).toMatchObject({ verdict: 'advise', caution: GERMAN['confidence_moderate']!.reason })
    expect((await said('fr')).caution).toBe(FRENCH['confidence_moderate']!.reason)
    expect((await said('en')).caution).toBe('Take care')
  })

  it('adds no caution to an answer that passed', async () => {
    const { ask } = aGate({ messages: { passed: { reason: 'All is well' } } })
    expect(await (await ask()).json()).not.toHaveProperty('caution')
  })
})

it('the public gets the text of `messages` for a rule that advised', async () => {
  const careful = defineRule({ id: 'careful', check: () => ({ outcome: 'advise', message: 'by a rule' }) })
  const { ask } = aGate({ rules: [careful], messages: { rule_advised: { reason: 'Ask your doctor' } } })
  expect(await (await ask()).json()).toMatchObject({ reason_code: 'rule_advised', caution: 'Ask your doctor' })
})

it('Chinese has its own punctuation', () => {
  for (const text of Object.values(CHINESE)) expect(Object.values(text).flat().join(' ')).not.toMatch(/[,.:;?!]/)
})

describe('the assets of the ready Worker', () => {
  it.each(Object.entries(LANGUAGES))('contain the texts in %s as in the package', async (language, texts) => {
    const asset = join('..', '..', 'workers', 'gate', 'public', 'v1', 'messages', `${language}.json`)
    await expect(`${JSON.stringify(texts)}\n`).toMatchFileSnapshot(asset)
  })
})
