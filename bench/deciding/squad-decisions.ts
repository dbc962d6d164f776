/**
 * What measuring English evidence costs: real words come back as invented ones do not, and an isolate that has answered for
 * a while knows most of them. Reads `../shared/data/squad-ooc`, where it is.
 */
import { Worker } from 'node:worker_threads'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { buildLexicon, encodeLexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { haveQuestionSets, passageOf, readCorpus, readQuestions } from '../evaluation/question-sets.ts'
import { evidenceOf } from './evidence.ts'
import { english } from '../../src/language/english/english.ts'

const SET = 'squad-ooc'

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

/** The passages ten by ten, as they stand in their articles, each ten with a question that one of them answers. */
function askedOf(passages: readonly Passage[]): Asked[] {
  const questions = new Map(readQuestions(SET).map(({ question, relevantIds: [id] }) => [id, question]))
  return Array.from({ length: Math.floor(passages.length / 10) }, (_, at): Asked => {
    const ten = passages.slice(10 * at, 10 * at + 10)
    const question = ten.map(({ id }) => questions.get(id)).find((found) => found !== undefined)
    return { question: question ?? normaliseQuestion(ten[0]!.title ?? ''), json: JSON.stringify(evidenceOf(ten)) }
  })
}
