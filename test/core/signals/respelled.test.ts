import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SentenceTerms } from '../../../src/core/text/term-reader.ts'
import { respelled } from '../../../src/core/signals/respelled.ts'

const said = (...sentences: readonly (readonly string[])[]): SentenceTerms => sentences

describe('respelled', () => {
  it.each([
    ['a letter left out', 'jwish', 'jewish'],
    ['a letter too many', 'kuberneet', 'kubernet'],
    ['another letter', 'regulasori', 'regulatori'],
    ['two letters swapped', 'perdict', 'predict'],
    ['the first two swapped', 'htoel', 'hotel'],
    ['the first left out', 'hotel', 'shotel'],
    ['another first letter', 'gotel', 'hotel'],
    ['the last left out', 'regulator', 'regulatori'],
    ['a misspelling in an ending', 'installatiom', 'instal'],
    ['a misspelling in the stem, and an ending', 'exprssion', 'express'],
    ['letters of another script', 'москвв', 'москва'],
    ['two misspellings', 'nubmre', 'number', null],
    ['a short term', 'coe', 'code', null],
    ['two wrong letters in a row', 'hoxyl', 'hotel', null],
    ['two wrong letters in a row, the first being the next letter', 'hoexl', 'hotel', null],
    ['two wrong letters in a row, the second being the letter before', 'hoxtl', 'hotel', null],
    ['a short candidate', 'cods', 'cod', null],
    ['a number', '1979', '1978', null],
    ['an ending behind a stem of five letters', 'modelisms', 'model'],
    ['a misspelling and an ending of seven letters', 'modelxational', 'model'],
    ['a misspelling and an ending of eight letters', 'modelxyational', 'model', null],
    ['an ending behind a stem of four letters', 'stationar', 'stat', null],
  ])(
    'corrects a term only within one misspelling: %s: %s',
    (_, term, candidate, expected: string | null = candidate) => {
      expect(respelled(term, said([candidate])) ?? null).toBe(expected)
    },
  )

  it('chooses the candidate that explains most letters, and the first among equals', () => {
    expect(respelled('installatiom', said(['instal'], ['installation']))).toBe('installation')
    expect(respelled('gotel', said(['motel', 'hotel']))).toBe('motel')
    expect(respelled('motel', said(['hotel'], ['motels']))).toBe('hotel')
    expect(respelled('gotel', [])).toBeUndefined()
  })

  it('finds every word with a single misspelling', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/)
    const slip = fc.tuple(
      fc.nat(),
      fc.stringMatching(/^[a-z]$/),
      fc.constantFrom('left out', 'added', 'changed', 'swapped'),
    )
    fc.assert(
      fc.property(word, slip, (meant, [seed, letter, kind]) => {
        const at = seed % (meant.length - 1)
        const [before, after] = [meant.slice(0, at), meant.slice(at + 1)]
        const written = {
          'left out': before + after,
          added: before + letter + meant.slice(at),
          changed: before + letter + after,
          swapped: before + meant[at + 1]! + meant[at]! + meant.slice(at + 2),
        }[kind]
        expect(respelled(written, said([meant]))).toBe(written.length < 4 ? undefined : meant)
      }),
    )
  })
})
