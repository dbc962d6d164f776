import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { loneTermFindings, questionFindings, runTogetherFindings } from '../../../src/core/policy/question-findings.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { buildLexicon } from '../../fixtures/english.ts'
import { english } from '../../../src/language/english/english.ts'

const codes = (findings: readonly { readonly code: string }[]): string[] => findings.map(({ code }) => code)

const lexicon = buildLexicon([
  ...Array.from({ length: 200 }, (_, at) => `The gate judges evidence ${at}.`),
  'Metafont draws letters.',
])

function evidenceOf(title?: string): Evidence {
  const chunk = { id: 'a', documentId: 'a', text: 'Metafont draws letters.', scores: { bm25: 4 } }
  return {
    rankedBy: 'bm25',
    kinds: ['bm25'],
    dropped: 0,
    chunks: [{ ...chunk, ...(title === undefined ? {} : { title }) }],
  }
}

describe('questionFindings', () => {
  it.each([
    ['How do I rotate keys?', []],
    ['What is Perl?', []],
    ['How do I rotate keys? ⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑', ['question_unreadable']],
    ['how is it?', ['question_too_short']],
    ['???', ['question_unreadable']],
  ])('says of %j %j', (question, expected) => {
    expect(codes(questionFindings(question, english))).toEqual(expected)
  })
})

describe('loneTermFindings', () => {
  it.each(['x', 'ok', 'gate', 'the gate', 'gate gate?', 'evidence'])('refuses %j', (question) => {
    expect(codes(loneTermFindings(question, evidenceOf('The gate'), lexicon, english))).toEqual(['question_too_short'])
  })

  it('keeps a rare term that names the best page', () => {
    expect(loneTermFindings('metafont', evidenceOf('Metafont'), lexicon, english)).toEqual([])
    expect(codes(loneTermFindings('metafont', evidenceOf('Letters'), lexicon, english))).toEqual(['question_too_short'])
    expect(codes(loneTermFindings('metafont', evidenceOf('Metafont'), EMPTY_LEXICON, english))).toEqual([
      'question_too_short',
    ])
  })

  it('keeps one term with a question word, and two terms', () => {
    expect(loneTermFindings('What is a gate?', evidenceOf(), lexicon, english)).toEqual([])
    expect(loneTermFindings('gate evidence', evidenceOf(), lexicon, english)).toEqual([])
  })
})

describe('runTogetherFindings', () => {
  const question = 'How does whowonthechessmatch start?'

  it('refuses words run together that neither the collection nor what was found knows', () => {
    expect(codes(runTogetherFindings(question, evidenceOf(), lexicon, english))).toEqual(['question_unreadable'])
    expect(runTogetherFindings('How does it start?', evidenceOf(), lexicon, english)).toEqual([])
  })

  it('lets be what either of them knows', () => {
    const known = buildLexicon(['The job whowonthechessmatch runs each night.'])
    expect(runTogetherFindings(question, evidenceOf(), known, english)).toEqual([])
    const evidence = evidenceOf()
    const found = { ...evidence.chunks[0]!, text: 'The job whowonthechessmatch runs each night.' }
    expect(runTogetherFindings(question, { ...evidence, chunks: [found] }, lexicon, english)).toEqual([])
  })
})
