import { describe, expect, it } from 'vitest'
import { english } from '../../../src/language/english/english.ts'
import { englishStems } from '../../../src/language/english/english-stems.ts'

/** The words of a question as they are read, each beside its neighbours. */
function read(question: string): string[] {
  const words = question.split(' ')
  return words.map((word, at) => englishStems(word, words[at - 1] ?? '', words[at + 1] ?? ''))
}

describe('englishStems', () => {
  it.each([
    ['are the engines old', ['is', '', 'engine', 'old']],
    ['were gates shut', ['was', 'gate', 'shut']],
    ['do I have an answer', ['does', 'i', 'has', '', 'answer']],
    ['which policies refuse', ['which', 'policy', 'refuse']],
    // A plural has five letters and up, all of them small; `is`, `us` and `ss` end none.
    ['basis virus access keys gates', ['basis', 'virus', 'access', 'keys', 'gate']],
    ['AIs x86s keys2 Keys', ['AIs', 'x86s', 'keys2', 'Keys']],
    ['iestate diesels', ['iestate', 'diesel']],
    // An article counts for nothing, but at the end, and `a` behind a name.
    ['a key for a gate', ['', 'key', 'for', '', 'gate']],
    ['vitamin a deficiency', ['vitamin', 'a', 'deficiency']],
    ['what is plan a', ['what', 'is', 'plan', 'a']],
    ['who are the', ['who', 'is', 'the']],
    ['why an', ['why', 'an']],
    ['vitamin the deficiency', ['vitamin', '', 'deficiency']],
    ['train training', ['train', 'training']],
  ])('reads the stems of %j', (question, words) => {
    expect(read(question)).toEqual(words)
  })
})

describe('english', () => {
  it.each([
    ['what', true],
    ['can', true],
    ['key', false],
  ])('whether %j is a question word: %s', (word, asks) => expect(english.asks(word)).toBe(asks))

  it.each([
    ['ye', true],
    ['yes', true],
    ['no', false],
    ['yesterday', false],
    ['eyes', false],
  ])('whether %j is assent: %s', (term, is) => expect(english.isAssent(term)).toBe(is))
})
