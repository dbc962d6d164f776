/** Any number of passages with the words of real ones, and questions about them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { sentences } from '../../src/core/text/sentences.ts'
import { seededRandom } from '../seeded-random.ts'

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data')
const SETS = ['squad-ooc', 'clapnq', 'azure-faq', 'gov-faq', 'tex-faq', 'perl-faq', 'covid-qa', 'scifact-missing']

export const haveData = (): boolean => existsSync(DATA)

function lines<Row>(set: string, file: string): Row[] {
  const text = readFileSync(join(DATA, set, file), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}

/** Questions that people asked about the passages that these sentences are from, in random order. */
export function questionsAbout(count: number, seed: number): string[] {
  const random = seededRandom(seed)
  const all = SETS.flatMap((set) => lines<{ question: string }>(set, 'questions.jsonl').map(({ question }) => question))
  return Array.from({ length: count }, () => all[Math.floor(random() * all.length)]!)
}

/** Passages of about 90 words: random sentences of real ones, each passage from one subject. */
export function passagesOf(count: number, seed: number): Passage[] {
  const random = seededRandom(seed)
  const bySet = SETS.map((set) => lines<{ text: string }>(set, 'corpus.jsonl').flatMap(({ text }) => sentences(text)))
  return Array.from({ length: count }, (_, at) => {
    const pool = bySet[Math.floor(random() * bySet.length)]!
    const parts: string[] = []
    let words = 0
    while (words < 90) {
      const sentence = pool[Math.floor(random() * pool.length)]!
      parts.push(sentence)
      words += sentence.split(' ').length
    }
    return {
      id: `passage-${at}-0123456789abcdef`,
      documentId: `document-${Math.floor(at / 10)}`,
      text: parts.join(' '),
      section: 'Part › Chapter',
      metadata: { team: `team-${at % 20}` },
    }
  })
}
