import { existsSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../src/language/english/stem.ts'
import { words } from '../../../src/core/text/words.ts'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { sentenceEnds, sentences } from '../../../src/core/text/sentences.ts'
import { terms as termsIn } from '../../../src/core/text/terms.ts'
import { visible } from '../../../src/core/text/visible.ts'
import { DEEP } from '../../deep-run.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { growth, PROPORTION } from '../../growth.ts'
import { isStopWord } from '../../../src/language/english/stop-words.ts'
import { createTermReader, READER, terms } from '../../fixtures/english.ts'

const sentenceTerms = (text: string): string[][] => READER.sentences(text).map((sentence) => [...sentence])

const shortText = anyText({ maxLength: 80 })

/** English with other letters, marks and every kind of white space in it, which `anyText` hardly ever draws together. */
const PIECES = `
  . ! ? : ' ’ – ( - _ 。 The retries Generalizations themselves is X 1999 Dr. zzzzzzzzzz
  é e\u0301 \u0338 Σ ΟΔΟΣ İ ß ﬁ ① \u212a Ａ 東 京 か\u3099 ー 서울 \u200b`
const mixedText = fc
  .array(
    fc.oneof(
      fc.constantFrom(' ', '. ', '\t', '\n', '\u00a0', '\u2003', '\u3000', '\ufeff'),
      fc.constantFrom(...PIECES.trim().split(/[ \n]+/)),
      fc.stringMatching(/^[A-Za-z0-9]{1,14}$/),
      anyText({ maxLength: 4 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(''))

/** A few texts, which come again. */
const MET = ['The engines start. It stops.', '東京 is a city.', '', 'Retries!']

/** What `terms` gives, said plainly. */
const plainTerms = (text: string): string[] =>
  words(text)
    .filter((word) => !isStopWord(word))
    .map(stem)

/** Passages beside the repository, where they are kept. */
function realTexts(): string[] {
  return ['squad-ooc', 'clapnq', 'azure-faq'].flatMap((set) => {
    const file = new URL(`../../../../shared/data/${set}/corpus.jsonl`, import.meta.url)
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => (JSON.parse(line) as { text: string }).text)
  })
}

describe('normaliseQuestion', () => {
  it('gives composed and decomposed letters the same text', () => {
    expect(normaliseQuestion('Cafe\u0301')).toBe(normaliseQuestion('Caf\u00e9'))
    expect(normaliseQuestion('\u1112\u1161\u11ab')).toBe('한')
  })

  it.each([
    ['İ', 'i'],
    ['Why', 'why'],
    ['10²', '102'],
    ['5½', '51⁄2'],
    ['می\u200cخواهم', 'میخواهم'],
    ['👩\u200d💻', '👩💻'],
  ])('distinguishes %s from %s', (a, b) => {
    expect(normaliseQuestion(a)).not.toBe(normaliseQuestion(b))
  })

  it.each([
    ['①⑳', '120'],
    ['10²³ m', '10^23 m'],
    ['5½', '5 1⁄2'],
    ['x²', 'x2'],
    ['ſﬁ', 'sfi'],
    ['Ａｂｃ', 'Abc'],
    ['ⓗⓞⓦ', 'how'],
    ['🄷🄾🅆', 'HOW'],
    ['𝐡𝖔𝔴', 'how'],
    ['h\u20ddo\u20dew\u20e3', 'how'],
    ['h\u00ado\u200bw\u2060\ufe0f', 'how'],
    ['h\u200co\u200dw', 'how'],
    ['how\u{e0061}\u{e0062}\u{e007f}', 'how'],
    ['\u202ehow', 'how'],
  ])('folds %j to %j', (written, folded) => {
    expect(normaliseQuestion(written)).toBe(folded)
  })

  it('folds every kind of white space and trims the ends', () => {
    expect(normaliseQuestion('\u00a0 what\t\tis \r\u2003this\u3000?\u2028 ')).toBe('what is this ?')
    expect(normaliseQuestion(' \n ')).toBe('')
  })

  const LONG = 'How do I reset the password of my account,'

  it.each([
    ['paragraphs', '\n\nHi\r\n\r\n \n what is this\n\t\n\nTom\n\n', 'Hi\n\nwhat is this\n\nTom'],
    ['a paragraph that begins with a long word', `${LONG}\n \n${'x'.repeat(40)}`, `${LONG}\n\n${'x'.repeat(40)}`],
    ['short lines', 'Hi\r\n\twhat is this\nTom', 'Hi\n\nwhat is this\n\nTom'],
    [
      'lines of which none would hold the next word, if that is short',
      `${'x'.repeat(28)}\nab c`,
      `${'x'.repeat(28)}\n\nab c`,
    ],
    ['a line after a long one', `${LONG}\n  please?\nTom`, `${LONG} please?\n\nTom`],
    ['a line far shorter than the longest', `Hi Ann,\n${LONG}`, `Hi Ann,\n\n${LONG}`],
  ])('keeps %s apart', (_, written, normalised) => {
    expect(normaliseQuestion(written)).toBe(normalised)
  })

  it.each([40, 72, 300])('joins lines wrapped at %i characters', (width) => {
    const said = 'to reset it, wait '.repeat(60).trim()
    const lines = said.match(new RegExp(`.{1,${width}}(?: |$)`, 'g'))!
    expect(normaliseQuestion(lines.map((line) => line.trim()).join('\r\n'))).toBe(said)
  })

  it('joins a line that with the next word fills four fifths of the longest, or of 50 characters', () => {
    const isJoined = (length: number, longest: number): boolean =>
      normaliseQuestion(`${'x'.repeat(length)}\nabc de\n\n${'y'.repeat(longest)}`).includes('x abc de')
    expect([37, 36].map((length) => isJoined(length, 9))).toEqual([true, false])
    expect([77, 76].map((length) => isJoined(length, 100))).toEqual([true, false])
  })

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(shortText, (text) => {
        const once = normaliseQuestion(text)
        expect(normaliseQuestion(once)).toBe(once)
      }),
    )
  })
})

describe('words', () => {
  it.each([
    ['The QUICK, brown-fox!', ['the', 'quick', 'brown', 'fox']],
    ['e-mail@example.com costs $3.50', ['e', 'mail', 'example', 'com', 'costs', '3', '50']],
    ['ﬁle ① Ａ', ['file', '1', 'a']],
    ['Limit', ['limit']],
    // The neighbours of a, z, 0 and 9 in ASCII.
    ['`az{/09:Z[@', ['az', '09', 'z']],
    ['naïve Größe', ['naive', 'grosse']],
    ['cafe\u0301', ['cafe']],
    ['Müll\u00adabfuhr Ab\u00adfall\u00adka\u00adlen\u00adder', ['mullabfuhr', 'abfallkalender']],
    ['ga\u00adte', ['gate']],
    ['mɔ\u0303te', ['mɔte']],
    ['МОСКВА Ἀθήνα ΟΔΟΣ', ['москва', 'αθηνα', 'οδος']],
    ['هذا نص', ['هذا', 'نص']],
    // As written in chats.
    ['الجامعة الجامعه متى متي', ['الجامعه', 'الجامعه', 'متي', 'متي']],
    ['हिन्दी पाठ', ['हिन्दी', 'पाठ']],
    ['', []],
    ['—…!', []],
    ['\ud800', []],
  ])('of %j are %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it.each([
    ['検索', ['検索']],
    ['東京都', ['東京', '京都']],
    ['字', ['字']],
    ['今日は hello 世界', ['今日', '日は', 'hello', '世界']],
    ['𠀀𠀁𠀂', ['𠀀𠀁', '𠀁𠀂']],
    ['ภาษา', ['ภา', 'าษ', 'ษา']],
    ['ซักผ้า', ['ซัก', 'กผ้', 'ผ้า']],
    ['コーヒー', ['コー', 'ーヒ', 'ヒー']],
    ['ｶﾞｸｾｲ', ['ガク', 'クセ', 'セイ']],
    ['か\u3099く', ['がく']],
    ['서울은 수도', ['서울', '울은', '수도']],
    ['ចម្លើយ', ['ចម្', 'ម្លើ', 'លើយ']],
    ['第3章のAPI設計', ['第', '3', '章の', 'api', '設計']],
    ['2024年に', ['2024', '年に']],
    // One character that stands for four.
    ['㍿', ['株式', '式会', '会社']],
  ])('are pairs of letters in scripts without spaces: %j gives %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('never contain white space or upper-case ASCII, and are never empty', () => {
    fc.assert(
      fc.property(shortText, (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[^\sA-Z]+$/)
      }),
    )
  })
})

describe('terms', () => {
  it('are the words when no language is given', () => {
    expect(termsIn('How the engines start', undefined)).toEqual(['how', 'the', 'engines', 'start'])
  })

  it('are stems without stop words, in order and with repeats', () => {
    expect(terms('How do I retry the failed retries?')).toEqual(['retri', 'fail', 'retri'])
    expect(terms('What is it that they were?')).toEqual([])
  })

  it('find a question in a passage that inflects its words', () => {
    const passage = new Set(terms('Connections are retried; retrying stops after failing thrice.'))
    for (const term of terms('Which connection retries fail?')) expect(passage).toContain(term)
  })

  it('depend only on the text, also after many others were read', () => {
    const seen = 'the connected oscillator retries 1999 generalizations'
    const before = terms(seen)
    for (let at = 0; at < 100_000; at++) terms(`fill${at.toString(36)}`)
    expect(terms(seen)).toEqual(before)
    expect(before).toEqual(['connect', 'oscil', 'retri', '1999', 'gener'])
  })

  it('equal the words without stop words, stemmed', () => {
    for (const text of realTexts()) expect(terms(text)).toEqual(plainTerms(text))
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(terms(text)).toEqual(plainTerms(text))
      }),
    )
  })

  it('are the same with any character between letters', () => {
    const wrong: string[] = []
    // Of the many beyond those of Europe a part, but in deep runs.
    for (let code = 0; code <= 0xffff; code += DEEP || code < 0x2100 ? 1 : 11) {
      const text = `retries${String.fromCharCode(code)}the Bells`
      if (terms(text).join() !== plainTerms(text).join()) wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

describe('sentenceEnds', () => {
  it.each([
    ['One. Two', [4, 8]],
    ['One\n  - two', [3, 11]],
    ['One.', [4]],
    ['', [0]],
  ])('of %j are %j', (text, ends) => {
    expect(sentenceEnds(text)).toEqual(ends)
  })
})

describe('visible', () => {
  it.each([
    ['en\u200bgine\u00ad é', 'engine é'],
    ['engine', 'engine'],
  ])('of %j is %j', (text, seen) => {
    expect(visible(text)).toBe(seen)
  })
})

describe('sentences', () => {
  it.each([
    ['One. Two! Three? Four', ['One.', 'Two!', 'Three?', 'Four']],
    ['He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
    ['(It ends here.) And goes on.', ['(It ends here.)', 'And goes on.']],
    ['Version 2.5 is out. It is good.', ['Version 2.5 is out.', 'It is good.']],
    ['ends with no capital. lower goes on', ['ends with no capital. lower goes on']],
    ['In 1999. 2000 was next.', ['In 1999.', '2000 was next.']],
    ['完了。 次です。', ['完了。', '次です。']],
    ['完了。次です！本当？はい', ['完了。', '次です！', '本当？', 'はい']],
    ['彼は「はい。」と言った。次', ['彼は「はい。」', 'と言った。', '次']],
    ['なに！？本当。', ['なに！？', '本当。']],
    ['هل هذا؟ نعم.', ['هل هذا؟', 'نعم.']],
    ['यह है। वह था।', ['यह है।', 'वह था।']],
    ['', []],
    ['  \n \n ', []],
  ])('of %j are %j', (text, expected) => {
    expect(sentences(text)).toEqual(expected)
  })

  it.each([
    'Dr. Smith met Mr. Jones.',
    'J. R. R. Tolkien wrote it.',
    'Use a cache, e.g. Redis.',
    'See Fig. 3 and No. 7.',
    'Acme Inc. Berlin is closed.',
    'Red vs. Blue is old.',
  ])('do not end at an abbreviation or an initial: %s', (text) => {
    expect(sentences(text)).toEqual([text])
  })

  it.each([
    ['It is over.\tNext one.', ['It is over.', 'Next one.']],
    ['It is over.\u00a0Next one.', ['It is over.', 'Next one.']],
    ['It is over.\nNext one.', ['It is over.', 'Next one.']],
    ['It ends here].”’ Next one.', ['It ends here].”’', 'Next one.']],
    ['He said so. “Next one.”', ['He said so.', '“Next one.”']],
    ['Run it. `go` now', ['Run it.', '`go` now']],
    ['是吗？好！对', ['是吗？', '好！', '对']],
    ['Ask Dr.Smith. He knows', ['Ask Dr.Smith.', 'He knows']],
    ['It was Wed. Then came rain', ['It was Wed.', 'Then came rain']],
    ['It is over.\r\nNext one.', ['It is over.', 'Next one.']],
    ['It is over.\bNext one.', ['It is over.\bNext one.']],
    ['Really?! Yes', ['Really?!', 'Yes']],
    ['一\n。二', ['一\n。', '二']],
    // An initial at the beginning of a sentence.
    ['はい。A. Then', ['はい。', 'A. Then']],
    ['A\n  \nB', ['A', 'B']],
    ['A\n\t- b', ['A', '- b']],
    ['A\n-b', ['A', '-b']],
    ['A\n1.b', ['A\n1.b']],
    ['A\n1234567890. b', ['A\n1234567890. b']],
    ['A\n# B', ['A', '# B']],
  ])('split %j into %j', (text, expected) => {
    expect(sentences(text)).toEqual(expected)
  })

  it('end with a paragraph and with a list item, not with a wrapped line', () => {
    expect(sentences('A title\n\nA line that\nis wrapped')).toEqual(['A title', 'A line that\nis wrapped'])
    expect(sentences('Steps:\n- open it\n- turn it\n1. close it\n2) leave')).toEqual([
      'Steps:',
      '- open it',
      '- turn it',
      '1. close it',
      '2) leave',
    ])
    expect(sentences('| a | b |\n| c | d |\n> quoted')).toEqual(['| a | b |', '| c | d |', '> quoted'])
  })

  it('lose nothing except white space', () => {
    const prose = fc.array(
      fc.constantFrom('One', 'two', '.', '. ', 'Dr. ', '! ', '\n', '\n\n', '- ', '1. ', '"', ' ', '字。 '),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          prose.map((pieces) => pieces.join('')),
          shortText,
        ),
        (text) => {
          const found = sentences(text)
          expect(found.join('').replaceAll(/\s/gu, '')).toBe(text.replaceAll(/\s/gu, ''))
          for (const sentence of found) expect(sentence.trim()).toBe(sentence)
        },
      ),
    )
  })

  it.each(['\u094d\u0301', '\uff9e\u0301', `${'\u094d\u1dfd'.repeat(10)}\u200d`])(
    'have words found in linear time in a text of %j',
    async (unit) => {
      expect(await growth(words, unit, 128_000)).toBeLessThan(PROPORTION)
      expect(words(`a${'\u094d\u0301'.repeat(20)} b\u0301`)).toEqual(['a', 'b'])
    },
  )

  it.each([' ', '\n', ' \n', 'A. ', '"'])('are found in linear time in a text of %j', async (unit) => {
    expect(await growth((text) => sentences(`Start.${text} End.`), unit, 48_000)).toBeLessThan(PROPORTION)
  })
})

describe('sentenceTerms', () => {
  it('are the terms of each sentence', () => {
    expect(sentenceTerms('The engines start. It stops.')).toEqual([['engin', 'start'], ['stop']])
    expect(sentenceTerms('')).toEqual([])
  })

  it('equal the terms of each sentence read by itself', () => {
    const plain = (text: string): string[][] => sentences(text).map(plainTerms)
    for (const text of realTexts()) expect(sentenceTerms(text)).toEqual(plain(text))
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(sentenceTerms(text)).toEqual(plain(text))
      }),
    )
  })

  it('together are the terms of the text', () => {
    for (const text of realTexts()) expect(sentenceTerms(text).flat()).toEqual(plainTerms(text))
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(sentenceTerms(text).flat()).toEqual(plainTerms(text))
      }),
    )
  })

  it('are the same however many other words the reader has read', () => {
    const reader = createTermReader()
    const met = Array.from({ length: 50_000 }, (_, at) => `${at.toString(36)}ing`)
    const long = ['internationalizations', 'running', 'the']
    const all = [...met, ...long, ...met.slice(0, 10), ...met.slice(-10), ...long]
    expect(all.filter((word) => reader.terms(word).join(' ') !== terms(word).join(' '))).toEqual([])
  })
})

describe('a term reader', () => {
  it('distinguishes texts that differ in one character', () => {
    const text = 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(8)
    const others = Array.from(text, (_, at) => `${text.slice(0, at)}9${text.slice(at + 1)}`)
    const reader = createTermReader()
    for (const one of [text, ...others, text, ...others]) expect(reader.sentences(one)).toEqual([terms(one)])
    for (let at = 0; at < 1000; at++) reader.sentences(`other ${at}`)
    for (const one of [text, ...others]) expect(reader.sentences(one)).toEqual([terms(one)])
  })

  it('keeps a text while a thousand others are read, but not two thousand', () => {
    const { sentences: read } = createTermReader()
    const text = 'A passage that comes back.'
    const known = read(text)
    for (let at = 0; at < 1000; at++) read(`other ${at}`)
    expect(read(text)).toBe(known)
    for (let at = 0; at < 1000; at++) read(`another ${at}`)
    expect(read(text)).toBe(known)
    for (let at = 0; at < 2000; at++) read(`yet another ${at}`)
    expect(read(text)).not.toBe(known)
    expect(read(text)).toEqual(known)
  })

  it('gives the same terms with any texts in its memory', () => {
    const { sentences: read } = createTermReader()
    fc.assert(
      fc.property(fc.oneof(mixedText, fc.constantFrom(...MET)), (text) => {
        for (const found of [read(text), READER.sentences(text)]) expect(found).toEqual(sentenceTerms(text))
      }),
    )
  })
})
