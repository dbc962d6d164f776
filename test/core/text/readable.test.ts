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
  ])('accepts %s', (_name, question) => {
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
  ])('rejects %s', (_name, question) => {
    expect(isReadable(question)).toBe(false)
  })
})

/** So many signs of a question, in words of four where they are letters. */
const run = (sign: string, count: number): string => sign.repeat(count)
const wordsOf = (letter: string, count: number): string => Array.from({ length: count }, () => run(letter, 4)).join(' ')

describe.each([
  ['ASCII', 'a'],
  ['other letters', 'é'],
])('the limits of readable text, in %s', (_name, letter) => {
  it.each<[string, string, boolean]>([
    ['two letters in five characters', run(letter, 4) + run('!', 6), true],
    ['fewer letters', run(letter, 3) + run('!', 7), false],
    ['letters and spaces, which do not count', `${run(letter, 4)}   ${run('!', 6)}   `, true],
    ['digits for letters', run('7', 4) + run('!', 6), true],
    ['eight pieces without a letter', `${wordsOf(letter, 4)}${run(' -', 8)}`, true],
    ['nine of twenty-seven pieces without a letter', `${wordsOf(letter, 18)}${run(' -', 9)}`, true],
    ['nine of twenty-six pieces without a letter', `${wordsOf(letter, 17)}${run(' -', 9)}`, false],
    ['nine pieces without a letter, with two spaces in a row', `${wordsOf(letter, 17)}  ${run(' -', 9)}`, false],
  ])('are applied to %s', (_, question, readable) => {
    expect(isReadable(question)).toBe(readable)
  })
})

describe('the limits for symbols', () => {
  it.each<[string, string, boolean]>([
    ['three symbols', `aaaa${run('→', 3)}`, true],
    ['a quarter of the text', `${run('a', 12)}${run('→', 4)}`, true],
    ['more than a quarter of the text', `${run('a', 11)}${run('→', 4)}`, false],
    ['three emoji of families', `aaaa${run('👨‍👩‍👧‍👦', 3)}`, true],
    ['emoji of families with skin tones', `${run('a', 12)}${run('👨🏽‍👩🏽‍👧🏽‍👦🏽', 2)}`, true],
    ['emoji of five joined parts', `aaaa${run('👨‍👩‍👧‍👦‍👦', 3)}`, false],
    ['a sentence of joined pictographs', `What is ${[...'🚗💨🏠🔥🎂🍞🥖🧈🧀🍷'].join('\u200d')} here?`, false],
    ['three unreadable characters', `aaaa${run('⠓', 3)}`, true],
    ['a tenth of unreadable characters', `${run('a', 36)}${run('⠓', 4)}`, true],
    ['more than a tenth of unreadable characters', `${run('a', 35)}${run('⠓', 4)}`, false],
    ['eight unreadable characters', `${run('a', 72)}${run('⠓', 8)}`, true],
    ['nine unreadable characters in a long text', `${run('a', 300)}${run('⠓', 9)}`, false],
    ['surrogate pairs as one character each', `${run('a', 36)}${run('\u{e0fff}', 4)}`, true],
    ['the control character DEL', 'aaaa\u007f', true],
  ])('are applied to %s', (_, question, readable) => {
    expect(isReadable(question)).toBe(readable)
  })
})
