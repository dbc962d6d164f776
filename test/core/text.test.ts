import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStopWord, normaliseQuestion, sentences, sentenceTerms, terms, words } from '../../src/core/text.ts'
import { anyText } from '../fixtures/any-text.ts'

const shortText = anyText({ maxLength: 80 })

describe('normaliseQuestion', () => {
  it('takes composed and decomposed letters for the same question', () => {
    expect(normaliseQuestion('Cafe\u0301')).toBe(normaliseQuestion('Caf\u00e9'))
    expect(normaliseQuestion('\u1112\u1161\u11ab')).toBe('한')
  })

  it.each([
    ['①', '1'],
    ['ſ', 's'],
    ['İ', 'i'],
    ['ﬁ', 'fi'],
    ['Why', 'why'],
    ['Ａ', 'A'],
  ])('keeps %s apart from %s', (a, b) => {
    expect(normaliseQuestion(a)).not.toBe(normaliseQuestion(b))
  })

  it('folds every kind of white space and trims the ends', () => {
    expect(normaliseQuestion('\u00a0 what\t\tis \r\n\u2003this\u3000?\u2028 ')).toBe('what is this ?')
    expect(normaliseQuestion(' \n ')).toBe('')
  })

  it('changes nothing when it is applied again', () => {
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
    ['naïve Größe', ['naïve', 'größe']],
    ['cafe\u0301', ['café']],
    ['mɔ\u0303te', ['mɔ\u0303te']],
    ['МОСКВА Ἀθήνα ΟΔΟΣ', ['москва', 'ἀθήνα', 'οδος']],
    ['هذا نص', ['هذا', 'نص']],
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
  ])('written without spaces are letter pairs: %j gives %j', (text, expected) => {
    expect(words(text)).toEqual(expected)
  })

  it('never holds white space, upper case ASCII or an empty word', () => {
    fc.assert(
      fc.property(shortText, (text) => {
        for (const word of words(text)) expect(word).toMatch(/^[^\sA-Z]+$/)
      }),
    )
  })
})

describe('terms', () => {
  it('are stems without stop words, in order, repeats kept', () => {
    expect(terms('How do I retry the failed retries?')).toEqual(['retri', 'fail', 'retri'])
    expect(terms('What is it that they were?')).toEqual([])
  })

  it('find a question in a passage that inflects its words', () => {
    const passage = new Set(terms('Connections are retried; retrying stops after failing thrice.'))
    for (const term of terms('Which connection retries fail?')) expect(passage).toContain(term)
  })

  it('depend on the text alone, also after many others were seen', () => {
    const before = terms('generalizations of connected oscillators')
    for (let at = 0; at < 50_001; at++) terms(`filler${at.toString(36)}`)
    expect(terms('generalizations of connected oscillators')).toEqual(before)
    expect(before).toEqual(['gener', 'connect', 'oscil'])
  })

  it('leave out question words and negations, and keep what carries meaning', () => {
    const asked = ['what', 'how', 'not', 'the', 'than', 'limit', 'paris', '2024', '']
    expect(asked.filter(isStopWord)).toEqual(['what', 'how', 'not', 'the', 'than'])
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

  it('lose nothing but white space', () => {
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

  it.each([
    ['spaces', ' '.repeat(20_000)],
    ['line ends', '\n'.repeat(20_000)],
    ['spaces and line ends', ' \n'.repeat(10_000)],
    ['initials', 'A. '.repeat(7000)],
    ['closing quotes', `.${'"'.repeat(20_000)}`],
  ])('are found in bounded time in twenty kilobytes of %s', (_, text) => {
    const startedMs = performance.now()
    sentences(`Start. ${text} End.`)
    expect(performance.now() - startedMs).toBeLessThan(1000)
  })
})

describe('sentenceTerms', () => {
  it('are the terms of each sentence', () => {
    expect(sentenceTerms('The engines start. It stops.')).toEqual([['engin', 'start'], ['stop']])
    expect(sentenceTerms('')).toEqual([])
  })

  it('are read once, and again when a thousand other texts came between', () => {
    const text = 'A passage that comes back.'
    const first = sentenceTerms(text)
    for (let at = 0; at < 999; at++) sentenceTerms(`other ${at}`)
    expect(sentenceTerms(text)).toBe(first)
    sentenceTerms('one more')
    expect(sentenceTerms(text)).not.toBe(first)
    expect(sentenceTerms(text)).toEqual(first)
  })
})
