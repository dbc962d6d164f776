/** Signals: measurements of a question and its evidence. Gates and confidence models name the signals they need. */
import type { Evidence } from '../evidence/evidence.ts'
import type { AppliedScale } from '../scale/collection-scale.ts'
import type { Language } from '../text/language.ts'
import type { Lexicon } from '../text/lexicon.ts'

/** Memoises: calls `make` once per key. */
export type Memory = <Kept>(key: unknown, make: () => Kept) => Kept

/** Input of a signal. */
export interface Subject {
  /** The original question, normalised. */
  readonly question: string
  /** The question without greetings and small talk, or the part that is measured. */
  readonly words: string
  /** Its parts, if the language splits questions. */
  readonly parts?: readonly string[] | undefined
  /** Whether statements were left out of it (`QuestionParts`). */
  readonly states?: boolean | undefined
  readonly evidence: Evidence
  /** The collection's lexicon, or `EMPTY_LEXICON`. */
  readonly lexicon: Lexicon
  /** The policy's language, or none. */
  readonly language: Language | undefined
  /** The collection's scale for the policy, if any. */
  readonly scale?: AppliedScale | undefined
  /** Memo shared by the signals of this subject. */
  readonly memory: Memory
  /** Memo across subjects, for recurring words and texts. */
  readonly lasting: Memory
}

/** A measurement. */
export interface Signal<Value = unknown> {
  /** Name under which it is recorded. */
  readonly name: string
  /** `question` if it depends on the question only, and is therefore known before retrieval. @default of question and evidence */
  readonly of?: 'question'
  /** `true` for a number that differs between the parts of a question over the same evidence. @default it does not */
  readonly ofWords?: true
  /** `true` if a record without it can still be judged again. @default a decision without it cannot */
  readonly mayLack?: true
  /** Pure. @returns JSON with finite numbers only, for recording and judging again; `null` if there is nothing to measure */
  measure(subject: Subject): Value
}

/**
 * Makes a memo, which lives as long as its owner keeps it.
 *
 * @param holder a `WeakMap` if keys must be held weakly. @default keys are held strongly
 */
export function createMemory(holder: Map<unknown, unknown> | WeakMap<object, unknown> = new Map()): Memory {
  // The cast is safe: with a `WeakMap`, all keys are objects.
  const kept = holder as Map<unknown, unknown>
  return <Kept>(key: unknown, make: () => Kept): Kept => {
    if (!kept.has(key)) kept.set(key, make())
    // The cast is safe: each key always has the same `make`.
    return kept.get(key) as Kept
  }
}

/** Whether a signal is a number that differs between the parts of a question. */
export function isOfWords(signal: Signal): signal is Signal<number> {
  return signal.ofWords === true
}
