/** Answers by quoting: the best sentences of the evidence as they stand, each with its source. No model. */
import type { Chunk } from '../core/evidence/chunk.ts'
import { sentences } from '../core/text/sentences.ts'
import { terms } from '../core/text/terms.ts'
import type { GenerationRequest, Generator } from '../ports/generator.ts'

/** Headings, rows of tables, and code: they stand for something, and say nothing. */
const NOT_PROSE = /^(?:#{1,6}\s|\||```|~~~)/

/** Settings of `createExtractiveGenerator`. */
export interface ExtractiveGeneratorOptions {
  /**
   * Sentences quoted at most, 1 and up.
   *
   * @default 3
   */
  readonly maxSentences?: number
}

/** How much a later chunk counts against an earlier one: the ranking knows more than the words of one sentence. */
const RANK_DISCOUNT = 0.85

/** Longest sentence quoted, characters: longer ones are tables and lists that lost their line ends. */
const MAX_SENTENCE = 600

/**
 * Makes a generator that quotes. It picks the sentences that hold most of the question's terms, each further one only
 * for terms that those before it lack, and gives them in the order of their sources.
 */
export function createExtractiveGenerator({ maxSentences = 3 }: ExtractiveGeneratorOptions = {}): Generator {
  return {
    model: 'extractive',
    generate: async ({ question, chunks }: GenerationRequest) => ({
      text: quote(question, chunks, maxSentences),
      manner: 'quoted',
      complete: true,
    }),
  }
}

interface Candidate {
  readonly sentence: string
  readonly terms: ReadonlySet<string>
  /** Index of its chunk. */
  readonly chunk: number
  readonly position: number
}

function quote(question: string, chunks: readonly Chunk[], maxSentences: number): string {
  const candidates = chunks.flatMap(({ text, section }, chunk) => {
    const heading = section?.split(' › ').at(-1)
    return sentences(text)
      .filter((sentence) => sentence.length <= MAX_SENTENCE && sentence !== heading && !NOT_PROSE.test(sentence))
      .map((sentence, position): Candidate => ({ sentence, terms: new Set(terms(sentence)), chunk, position }))
  })
  const open = new Set(terms(question))
  const chosen: Candidate[] = []
  while (chosen.length < maxSentences && open.size > 0) {
    const best = bestOf(candidates, open)
    if (best === undefined) break
    chosen.push(best)
    for (const term of best.terms) open.delete(term)
  }
  const quoted = chosen.length > 0 ? chosen : candidates.slice(0, 1)
  return quoted
    .sort((a, b) => a.chunk - b.chunk || a.position - b.position)
    .map(({ sentence, chunk }) => `${plain(sentence)} [${chunk + 1}]`)
    .join(' ')
}

/** Without the mark of a list item; a number in square brackets would read like a citation of ours. */
function plain(sentence: string): string {
  return sentence
    .replace(/^(?:[-*+>]|\d+[.)])\s+/, '')
    .replaceAll(/\[(\d+)\]/g, '($1)')
    .replaceAll(/\s+/g, ' ')
}

function bestOf(candidates: readonly Candidate[], open: ReadonlySet<string>): Candidate | undefined {
  let best: Candidate | undefined
  let most = 0
  for (const candidate of candidates) {
    let held = 0
    for (const term of open) if (candidate.terms.has(term)) held++
    const worth = held * RANK_DISCOUNT ** candidate.chunk
    if (worth > most) {
      best = candidate
      most = worth
    }
  }
  return best
}
