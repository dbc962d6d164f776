import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRunTogether } from '../../../src/language/english/run-together.ts'
import { words } from '../../../src/core/text/words.ts'

const runTogether = (text: string): boolean => words(text).some(isRunTogether)

describe('words without spaces between them', () => {
  it.each([
    'whowonthechessmatchinoslo',
    'WhoWonTheChessMatchInOslo?',
    'whoruledtheempire and whorotatesthekeys',
    'wholovesdogsmost',
    'How does it start whatisthecapitaloffrance',
    'thecapitaloffranceisinwhichcountry',
    'pleaseexplainthehistoryofthetelephonetome',
    'howmanypeoplelivein\u0301oslo',
    'WriteAPoemAboutVikings',
  ])('are recognised: %s', (text) => expect(runTogether(text)).toBe(true))

  it.each([
    // Compounds.
    'Was regelt das Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz?',
    'Wo ist die Arbeitsunfähigkeitsbescheinigung der Kraftfahrzeughaftpflichtversicherung?',
    'Sozialversicherungsausweis und Grundstücksverkehrsgenehmigungszuständigkeitsübertragungsverordnung',
    'Waar staat de arbeidsongeschiktheidsverzekering en de aansprakelijkheidswaardevaststellingsveranderingen?',
    'Mikä on lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas?',
    // Names and terms of a trade.
    'What is explainability, and which didodecahedrons and whortleberries does it explain?',
    'Is hydroxychloroquinesulfate better than methylenedioxymethamphetamine?',
    'pneumonoultramicroscopicsilicovolcanoconiosis, otorhinolaryngological, immunohistochemically',
    'Where is Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch?',
    'misunderstandings about wholesalers, wholeheartedly, howitzers and whatsappbusinessaccounts',
    // Code and addresses.
    'What does AbstractSingletonProxyFactoryBean do, and getElementsByTagName, and thread_pool_executor_shutdown?',
    'Why is createUpstashRetriever undefined at packages/upstash/src/retriever.ts?',
    'See https://example.com/docs/who-can-read-the-index?what=all&how=fast#where-is-it',
    'ERR_INVALID_RETURN_PROPERTY_VALUE e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    // Written without spaces.
    '東京の首都はどこですかそれはいつ建てられましたか',
    '这个发动机怎么启动需要哪一把钥匙',
    'เครื่องยนต์สตาร์ทอย่างไรและใช้กุญแจสีอะไร',
    '엔진은어떻게시동을거나요빨간열쇠를쓰나요',
  ])('are not seen in %s', (text) => expect(runTogether(text)).toBe(false))

  it.each([
    ['whoisthekingof', true],
    ['whoisthekings', false],
    ['theroofsandthegarden', true],
    ['theroofandthegarden', false],
    ['thekingofspainlovesyou', true],
    ['thecapitaloffrance2isinwhichcountry', true],
    ['жthecapitaloffranceisinwhichcountry', false],
    ['thecapitaloffranceisinwhichcountryж', false],
  ])('are recognised by length and letters: %s is recognised: %s', (word, is) => expect(isRunTogether(word)).toBe(is))

  it('are never recognised in other scripts', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[а-яα-ω]{14,60}$/u), (word) => {
        expect(isRunTogether(word)).toBe(false)
      }),
    )
  })
})
