import { describe, expect, it } from 'vitest'
import { isReadable } from '../../../src/core/text/readable.ts'

const ON_TOPIC = 'How do I rotate the signing keys of the gate?'

describe('isReadable', () => {
  it.each([
    ['plain words', ON_TOPIC],
    ['another script', '認証キーを更新するにはどうすればよいですか?'],
    ['a pictograph or three', `${ON_TOPIC} 🙏👩‍💻🎉`],
    ['code', 'Why doesn\'t "my($foo) = <$fh>;" work right?'],
    ['formulas', 'Why use \\[ ... \\] in place of $$ ... $$ ?'],
    ['degrees and operators', `What lies at 37° 8' 59.23" latitude, ±2°, or ≤ 5 °C → 9?`],
    ['a few boxes', `${ON_TOPIC} ├── src └── test`],
  ])('takes %s', (_name, question) => {
    expect(isReadable(question)).toBe(true)
  })

  it.each([
    ['Braille', `${ON_TOPIC} ⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑⠃⠗⠑⠁⠙`],
    ['negative letters in circles', `${ON_TOPIC} 🅗🅞🅦 🅓🅞 🅘 🅑🅐🅚🅔`],
    ['negative letters in squares', `${ON_TOPIC} 🅷🅾🆆 🅳🅾 🅸 🅱🅰🅺🅴`],
    ['letters of flags', `${ON_TOPIC} 🇭​🇴​🇼​🇩​🇴​🇧​🇦​🇰​🇪`],
    ['private use', `${ON_TOPIC} \ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007\ue008`],
    ['unassigned characters', `${ON_TOPIC} ${'\u{e0fff}\u{3fffd}'.repeat(8)}`],
    ['nine of them in a long question', `${ON_TOPIC.repeat(20)} ⠓⠕⠺⠙⠕⠊⠃⠁⠅`],
    ['Morse code', `${ON_TOPIC} -... .- -.- . -... .-. . .- -.. -. --- .--`],
    ['pictographs for words', 'how 🚗💨🏠🔥🎂🍞🥖🧈 ?'],
    ['punctuation alone', '?!?!?! ... ---'],
  ])('does not take %s', (_name, question) => {
    expect(isReadable(question)).toBe(false)
  })
})

/** So many signs of a question, in words of four where they are letters. */
const run = (sign: string, count: number): string => sign.repeat(count)
const wordsOf = (letter: string, count: number): string => Array.from({ length: count }, () => run(letter, 4)).join(' ')

describe.each([
  ['ASCII', 'a'],
  ['other letters', 'é'],
])('the bounds of what can be read, in %s', (_name, letter) => {
  it.each<[string, string, boolean]>([
    ['two of five letters', run(letter, 4) + run('!', 6), true],
    ['fewer', run(letter, 3) + run('!', 7), false],
    ['spaces aside', `${run(letter, 4)}   ${run('!', 6)}   `, true],
    ['digits for letters', run('7', 4) + run('!', 6), true],
    ['eight pieces without a letter', `${wordsOf(letter, 4)}${run(' -', 8)}`, true],
    ['nine of twenty-seven', `${wordsOf(letter, 18)}${run(' -', 9)}`, true],
    ['nine of twenty-six', `${wordsOf(letter, 17)}${run(' -', 9)}`, false],
    ['nine without more space than one', `${wordsOf(letter, 17)}  ${run(' -', 9)}`, false],
  ])('%s', (_, question, readable) => {
    expect(isReadable(question)).toBe(readable)
  })
})

describe('the bounds of signs', () => {
  it.each<[string, string, boolean]>([
    ['three signs', `aaaa${run('→', 3)}`, true],
    ['a quarter of them', `${run('a', 12)}${run('→', 4)}`, true],
    ['more than a quarter', `${run('a', 11)}${run('→', 4)}`, false],
    ['three of families', `aaaa${run('👨‍👩‍👧‍👦', 3)}`, true],
    ['three of families with the colours of skin', `${run('a', 12)}${run('👨🏽‍👩🏽‍👧🏽‍👦🏽', 2)}`, true],
    ['three of five that are joined', `aaaa${run('👨‍👩‍👧‍👦‍👦', 3)}`, false],
    ['a sentence of pictographs, joined', `What is ${[...'🚗💨🏠🔥🎂🍞🥖🧈🧀🍷'].join('\u200d')} here?`, false],
    ['three that cannot be read', `aaaa${run('⠓', 3)}`, true],
    ['a tenth of them', `${run('a', 36)}${run('⠓', 4)}`, true],
    ['more than a tenth', `${run('a', 35)}${run('⠓', 4)}`, false],
    ['eight', `${run('a', 72)}${run('⠓', 8)}`, true],
    ['nine of many', `${run('a', 300)}${run('⠓', 9)}`, false],
    ['pairs of code units for one', `${run('a', 36)}${run('\u{e0fff}', 4)}`, true],
    ['a control behind the keyboard', 'aaaa\u007f', true],
  ])('%s', (_, question, readable) => {
    expect(isReadable(question)).toBe(readable)
  })
})
