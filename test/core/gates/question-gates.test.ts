import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { loneTerm } from '../../../src/core/gates/lone-term.ts'
import { questionLength } from '../../../src/core/gates/question-length.ts'
import { readableQuestion } from '../../../src/core/gates/readable-question.ts'
import { runTogether } from '../../../src/core/gates/run-together.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { measureSignals, type Signals, subjectOf } from '../../../src/core/signals/measure.ts'
import type { Language } from '../../../src/core/text/language.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { english } from '../../../src/language/english/english.ts'
import { buildLexicon } from '../../fixtures/english.ts'

const COLLECTION = buildLexicon([
  ...Array.from({ length: 200 }, (_, at) => `The gate judges evidence ${at}.`),
  'Metafont draws letters.',
])

function evidenceOf(title?: string, text = 'Metafont draws letters.'): Evidence {
  const chunk = { id: 'a', documentId: 'a', text, scores: { bm25: 4 } }
  return {
    rankedBy: 'bm25',
    kinds: ['bm25'],
    dropped: 0,
    chunks: [{ ...chunk, ...(title === undefined ? {} : { title }) }],
  }
}

interface Asked {
  readonly evidence?: Evidence
  readonly lexicon?: typeof COLLECTION
  readonly language?: Language | undefined
}

/** The code of what a gate finds, as its own signals measure the question. */
function ask({ gate, settings }: PolicyGate, question: string, asked: Asked = {}): string | undefined {
  const { evidence = evidenceOf(), lexicon = COLLECTION } = asked
  const language = 'language' in asked ? asked.language : english
  const subject = subjectOf({ question, evidence, lexicon, language })
  // As a record brings it back.
  const signals = JSON.parse(JSON.stringify(measureSignals(gate.reads?.(settings) ?? [], subject))) as Signals
  return gate.check(settings, { signals, confidence: 0 })?.code
}

describe('readableQuestion and questionLength', () => {
  it.each([
    ['How do I rotate keys?', undefined, undefined],
    ['What is Perl?', undefined, undefined],
    ['How do I rotate keys? ⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑', 'question_unreadable', undefined],
    ['how is it?', undefined, 'question_too_short'],
    ['???', 'question_unreadable', 'question_too_short'],
  ])('judge %j as: %s, %s', (question, readable, length) => {
    expect(ask(readableQuestion(), question)).toBe(readable)
    expect(ask(questionLength(), question)).toBe(length)
  })

  it('have no stop words without a language', () => {
    expect(ask(questionLength(), 'how is it?', { language: undefined })).toBeUndefined()
    expect(ask(questionLength(), '???', { language: undefined })).toBe('question_too_short')
  })
})

describe('loneTerm', () => {
  it.each(['x', 'ok', 'gate', 'the gate', 'gate gate?', 'evidence'])('refuses %j', (question) => {
    expect(ask(loneTerm(), question, { evidence: evidenceOf('The gate') })).toBe('question_too_short')
  })

  it('accepts a rare term that is the title of the best chunk', () => {
    const titled = { evidence: evidenceOf('Metafont') }
    expect(ask(loneTerm(), 'metafont', titled)).toBeUndefined()
    expect(ask(loneTerm(), 'metafont', { evidence: evidenceOf('Letters') })).toBe('question_too_short')
    expect(ask(loneTerm(), 'metafont', { ...titled, lexicon: EMPTY_LEXICON })).toBe('question_too_short')
  })

  it('accepts one term with a question word, and two terms', () => {
    expect(ask(loneTerm(), 'What is a gate?')).toBeUndefined()
    expect(ask(loneTerm(), 'gate evidence')).toBeUndefined()
  })
})

describe('a question of one term', () => {
  const { gate, settings } = loneTerm()
  it.each([
    [3, 3, true, true],
    [3, 60, true, true],
    [4, 60, true, false],
    [4, 80, true, true],
    [4, 79, true, false],
    [50, 1000, true, true],
    [51, 1000, true, false],
    [0, 10, true, true],
    [0, 0, true, false],
    [1, 100, false, false],
  ])('found in %i of %i chunks, in the title: %s, passes: %s', (holding, chunks, isTitled, kept) => {
    const signals = { chunkCount: 1, droppedCount: 0, loneTerm: { holding, chunks, isTitled } }
    expect(gate.check(settings, { signals, confidence: 1 }) === undefined).toBe(kept)
  })
})

describe('runTogether', () => {
  const question = 'How does whowonthechessmatch start?'
  const known = 'The job whowonthechessmatch runs each night.'

  it('refuses words run together that neither the collection nor the evidence contains', () => {
    expect(ask(runTogether(), question)).toBe('question_unreadable')
    expect(ask(runTogether(), 'How does it start?')).toBeUndefined()
  })

  it('accepts words run together when the collection or the evidence contains them, or without a language', () => {
    expect(ask(runTogether(), question, { lexicon: buildLexicon([known]) })).toBeUndefined()
    expect(ask(runTogether(), question, { evidence: evidenceOf(undefined, known) })).toBeUndefined()
    expect(ask(runTogether(), question, { language: undefined })).toBeUndefined()
  })
})

describe('gates about the question', () => {
  it.each([
    [readableQuestion(), 'The question cannot be read'],
    [questionLength(), 'The question has no term'],
    [loneTerm(), 'The question is one word'],
    [runTogether(), 'The question has words run together'],
  ])('tell operators the reason: $settings.gate', ({ gate, settings }, message) => {
    expect(gate.check(settings, { signals: { chunkCount: 1, droppedCount: 0 }, confidence: 1 })?.message).toBe(message)
  })

  it.each([readableQuestion(), questionLength(), loneTerm(), runTogether()])(
    'refuse when their signal was not recorded: $settings.gate',
    ({ gate, settings }) => {
      const signals = { chunkCount: 1, droppedCount: 0 }
      expect(gate.check(settings, { signals, confidence: 1 })?.outcome).toBe('refuse')
    },
  )
})
