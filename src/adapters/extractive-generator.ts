/** Answers by quoting: adjacent sentences of one passage as they stand, with their source. No model. */
import { requireOptions, text, whole } from '../core/lib/options.ts'
import type { Chunk } from '../core/evidence/chunk.ts'
import { mapCode } from '../core/text/code-spans.ts'
import { questionParts } from '../core/text/question-parts.ts'
import type { GenerationRequest, Generator } from '../ports/generator.ts'
import { bestQuote, type Quote } from './extractive-generator/quotes.ts'

/** Settings of `createExtractiveGenerator`. */
export interface ExtractiveGeneratorOptions {
  /**
   * Sentences quoted at most, 1 and up; a list or code that the last of them announces comes with it, and those between
   * the paragraphs at the beginning of a section.
   *
   * @default 3
   */
  readonly maxSentences?: number
  /**
   * What stands before a passage of which no sentence answers the question.
   *
   * @default 'Closest passage'
   */
  readonly closestPassage?: string
}

/** Fit from which sentences are taken for an answer: chosen for few wrong ones, by `npm run bench:quotes`. */
const ANSWERS_FROM = 0.7

/**
 * Makes a generator that quotes. Of one passage, and never of several, it quotes the adjacent sentences that hold most of
 * what is asked without the talk around it, or the beginning of the section whose heading says just that; where they hold too little, it names the
 * closest passage and quotes what is nearest in it.
 */
export function createExtractiveGenerator(options: ExtractiveGeneratorOptions = {}): Generator {
  requireOptions(options, { maxSentences: whole(1), closestPassage: text })
  const { maxSentences = 3, closestPassage = 'Closest passage' } = options
  return {
    // With the version of its choice: another one makes other answers.
    model: 'extractive/7',
    generate: async ({ question, chunks, caution }: GenerationRequest) => {
      const quote = bestQuote(questionParts(question).bare, chunks, maxSentences)
      // Where the gate itself is not sure, no sentence is taken for the answer.
      const answers = quote !== undefined && caution === undefined && quote.fit >= ANSWERS_FROM
      return {
        text: answers ? quoted(quote) : closest(chunks, quote, closestPassage),
        manner: answers ? 'quoted' : 'closest',
        complete: true,
      }
    },
  }
}

function quoted({ lead, isItem, sentences, continued, chunk }: Quote): string {
  const [first, ...others] = [...lead, sentences.join(' ')].map(plain)
  const led = isItem ? others.map((item, depth) => `${'  '.repeat(depth)}- ${item}`).join('\n') : others.join('\n\n')
  return [`${first} [${chunk + 1}]`, led, withoutCitations(continued ?? '')].filter((part) => part !== '').join('\n\n')
}

function closest(chunks: readonly Chunk[], quote: Quote | undefined, label: string): string {
  const at = quote?.chunk ?? 0
  const chunk = chunks[at]
  if (chunk === undefined) return ''
  const { title = '', section = '' } = chunk
  // A page's first heading is its title.
  const where =
    section === title || section.startsWith(`${title} › `) ? section : [title, section].filter(Boolean).join(' › ')
  const name = `${label}${where === '' ? '' : `, “${withoutCitations(where)}”`}`
  return quote === undefined ? `${name} [${at + 1}]` : `${name}: ${quoted(quote)}`
}

function plain(text: string): string {
  return mapCode(withoutCitations(text), asItStands, (prose) => prose.replaceAll(/\s+/g, ' '))
}

/** What prose has in square brackets could read like a citation of ours. Code is no prose: `rows[0]` stays. */
function withoutCitations(text: string): string {
  return mapCode(text, asItStands, (prose) => prose.replaceAll(/\[(\d+(?:\s*[,;]\s*\d+)*)\]/g, '($1)'))
}

function asItStands(code: string): string {
  return code
}
