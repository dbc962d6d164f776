import { describe, expect, it } from 'vitest'
import { createExtractiveGenerator, type ExtractiveGeneratorOptions } from '../../src/adapters/extractive-generator.ts'
import { sentences } from '../../src/core/text/sentences.ts'
import { aPassage } from '../fixtures/evidence.ts'

async function quote(
  question: string,
  texts: readonly string[],
  options?: ExtractiveGeneratorOptions,
): Promise<string> {
  const chunks = texts.map((text, at) => ({ ...aPassage(`c${at}`, { text }), scores: {} }))
  const generation = await createExtractiveGenerator(options).generate({
    question,
    chunks,
    context: '',
    signal: AbortSignal.timeout(1000),
  })
  expect(generation).toMatchObject({ manner: 'quoted', complete: true })
  return generation.text
}

describe('createExtractiveGenerator', () => {
  it('quotes the sentence that holds the question, with its source', async () => {
    const texts = ['Paint is blue. Brakes squeal.', 'Tyres wear. The engine starts with the red key. Doors open.']
    expect(await quote('How does the engine start?', texts)).toBe('The engine starts with the red key. [2]')
  })

  it('adds sentences only for terms that the others lack, in the order of their sources', async () => {
    const texts = ['The battery lasts. Engines start slowly.', 'A battery of an engine. Winter kills it.']
    expect(await quote('engine battery winter', texts)).toBe('A battery of an engine. [2] Winter kills it. [2]')
    expect(await quote('winter battery lasting', texts)).toBe('The battery lasts. [1] Winter kills it. [2]')
  })

  it('prefers an earlier chunk among equals', async () => {
    expect(await quote('engine', ['One engine.', 'Two engine.'])).toBe('One engine. [1]')
  })

  it('quotes no more sentences than told', async () => {
    const texts = ['Alpha one. Beta two. Gamma three. Delta four.']
    expect(await quote('alpha beta gamma delta', texts)).toBe('Alpha one. [1] Beta two. [1] Gamma three. [1]')
    expect(await quote('alpha beta gamma delta', texts, { maxSentences: 1 })).toBe('Alpha one. [1]')
  })

  it('quotes only what stands in the evidence, word for word', async () => {
    const texts = ['# Title\n\nDr. Smith starts the engine. It "roars."', '- first step\n- second engine step']
    const quoted = await quote('engine smith step', texts)
    for (const part of quoted.split(/ \[\d+\] ?/).filter(Boolean))
      expect(texts.flatMap(sentences).map((sentence) => sentence.replace('- ', ''))).toContain(part)
  })

  it("does not let a document's own numbers read like citations", async () => {
    expect(await quote('engine', ['The engine starts [7] at noon.'])).toBe('The engine starts (7) at noon. [1]')
  })

  it('quotes neither tables nor code', async () => {
    const text = '| engine | start |\n\n```\nengine --start\n```\n\nTurn the key to start the engine.'
    expect(await quote('engine start', [text])).toBe('Turn the key to start the engine. [1]')
  })

  it('never quotes a heading, or a sentence without end', async () => {
    expect(await quote('engine', ['# Engine\n\nThe motor hums.', `engine ${'word '.repeat(200)}`])).toBe(
      'The motor hums. [1]',
    )
  })

  it("quotes the beginning when nothing holds the question's words, and nothing without evidence", async () => {
    expect(await quote('zebra', ['First. Second.'])).toBe('First. [1]')
    expect(await quote('what is it', ['First. Second.'])).toBe('First. [1]')
    expect(await quote('engine', [])).toBe('')
  })

  it('names itself, for the answer key', () => {
    expect(createExtractiveGenerator().model).toBe('extractive')
  })
})
