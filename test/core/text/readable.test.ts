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
