/**
 * What measuring English evidence costs: real words come back as invented ones do not, and an isolate that has answered for
 * a while knows most of them. Reads `../shared/data/squad-ooc`, where it is.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Evidence } from '../../src/core/evidence/evidence.ts'
import { buildLexicon, encodeLexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'squad-ooc')

/** Microseconds to measure ten chunks. */
export interface EnglishCosts {
  /** The first decision of a new isolate, which has compiled nothing and read no table. */
  readonly first: number
  /** In a warm isolate, over texts that it reads for the first time, of a collection of which it has read half: a median. */
  readonly unread: number
  /** The same texts for the third time, in new strings: a median. */
  readonly remembered: number
}

/** A question, and the evidence that an index might send for it, as JSON. */
export interface Asked {
  readonly question: string
  readonly json: string
}

/** What the thread is given. */
export interface IsolateTask {
  /** Encoded. */
  readonly lexicon: string
  /** To warm up with. */
  readonly before: readonly Asked[]
  /** To be timed. */
  readonly asked: readonly Asked[]
}

/** @returns what measures in a new isolate, each time; `undefined` without the passages */
export function englishDecisions(): (() => Promise<EnglishCosts>) | undefined {
  if (!existsSync(DATA)) return undefined
  const passages = readLines<CorpusLine>('corpus.jsonl')
  const asked = askedOf(passages)
  const workerData: IsolateTask = {
    lexicon: encodeLexicon(buildLexicon(passages.map(({ text }) => text))),
    before: asked.filter((_, at) => at % 2 === 0),
    asked: asked.filter((_, at) => at % 2 === 1),
  }
  return async () => {
    const thread = new Worker(new URL('isolate.ts', import.meta.url), { workerData })
    return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  }
}

interface CorpusLine {
  readonly id: string
  readonly doc_id: string
  readonly title: string
  readonly text: string
}

interface QuestionLine {
  readonly question: string
  readonly relevant_ids: readonly string[]
}

function readLines<Row>(file: string): Row[] {
  const lines = readFileSync(join(DATA, file), 'utf8').trim().split('\n')
  // The files keep to the form that their README describes.
  return lines.map((line) => JSON.parse(line) as Row)
}

/** The passages ten by ten, as they stand in their articles, each ten with a question that one of them answers. */
function askedOf(passages: readonly CorpusLine[]): Asked[] {
  const questions = new Map(
    readLines<QuestionLine>('questions.jsonl').map(({ question, relevant_ids: [id] }) => [id, question]),
  )
  return Array.from({ length: Math.floor(passages.length / 10) }, (_, at): Asked => {
    const ten = passages.slice(10 * at, 10 * at + 10)
    const question = ten.map(({ id }) => questions.get(id)).find((found) => found !== undefined) ?? ten[0]!.title
    return { question: normaliseQuestion(question), json: JSON.stringify(evidenceOf(ten)) }
  })
}

function evidenceOf(passages: readonly CorpusLine[]): Evidence {
  return {
    rankedBy: 'convex',
    kinds: ['cosine', 'bm25'],
    dropped: 0,
    chunks: passages.map(({ id, doc_id: documentId, title, text }, at) => ({
      id,
      documentId,
      title,
      text,
      scores: { cosine: 0.6 - at * 0.03, bm25: 12 - at, convex: 0.5 - at * 0.02 },
    })),
  }
}
