/**
 * The cost of measuring English evidence: unlike invented words, real ones repeat, and an isolate has cached most of
 * them after a while. Reads `../shared/data/squad-ooc` if available.
 */
import { Worker } from 'node:worker_threads'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { buildLexicon, encodeLexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { haveQuestionSets, passageOf, readCorpus, readQuestions } from '../evaluation/question-sets.ts'
import { evidenceOf } from './evidence.ts'
import { english } from '../../src/language/english/english.ts'

const SET = 'squad-ooc'

/** Time to measure ten chunks, microseconds. */
export interface EnglishCosts {
  /** The first decision of a new isolate, with no compiled code and empty caches. */
  readonly first: number
  /** In a warm isolate that has read half of the collection, over texts that it has not read: a median. */
  readonly unread: number
  /** The same texts for the third time, as new strings: a median. */
  readonly remembered: number
}

/** A question with evidence as from an index, as JSON. */
export interface Asked {
  readonly question: string
  readonly json: string
}

/** Input of the thread. */
export interface IsolateTask {
  /** Encoded. */
  readonly lexicon: string
  /** For warming up. */
  readonly before: readonly Asked[]
  /** To be timed. */
  readonly asked: readonly Asked[]
}

/** @returns a function that measures in a new isolate each time; `undefined` without the passages */
export function englishDecisions(): (() => Promise<EnglishCosts>) | undefined {
  if (!haveQuestionSets()) return undefined
  const passages = readCorpus(SET).map(passageOf)
  const asked = askedOf(passages)
  const workerData: IsolateTask = {
    lexicon: encodeLexicon(
      buildLexicon(
        passages.map(({ text }) => text),
        english,
      ),
    ),
    before: asked.filter((_, at) => at % 2 === 0),
    asked: asked.filter((_, at) => at % 2 === 1),
  }
  return async () => {
    const thread = new Worker(new URL('isolate.ts', import.meta.url), { workerData })
    return new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject))
  }
}

/** The passages in tens, in the order of their articles, each ten with a question that one of them answers. */
function askedOf(passages: readonly Passage[]): Asked[] {
  const questions = new Map(readQuestions(SET).map(({ question, relevantIds: [id] }) => [id, question]))
  return Array.from({ length: Math.floor(passages.length / 10) }, (_, at): Asked => {
    const ten = passages.slice(10 * at, 10 * at + 10)
    const question = ten.map(({ id }) => questions.get(id)).find((found) => found !== undefined)
    return { question: question ?? normaliseQuestion(ten[0]!.title ?? ''), json: JSON.stringify(evidenceOf(ten)) }
  })
}
