/** Signals: what can be measured of a question and its evidence. Gates and confidence models bring along those they read. */
import type { Evidence } from '../evidence/evidence.ts'
import type { AppliedScale } from '../scale/collection-scale.ts'
import type { Language } from '../text/language.ts'
import type { Lexicon } from '../text/lexicon.ts'

/** Makes something once, and gives the same again. */
export type Memory = <Kept>(key: unknown, make: () => Kept) => Kept

/** What signals are measured of. */
export interface Subject {
  /** As it was asked; normalised. */
  readonly question: string
  /** The question without the talk around it, or the part of it that is measured. */
  readonly words: string
  /** Its parts, where the language knows them. */
  readonly parts?: readonly string[] | undefined
  /** Whether sentences were left out of it that state something (`QuestionParts`). */
  readonly states?: boolean | undefined
  readonly evidence: Evidence
  /** The collection's, or `EMPTY_LEXICON`. */
  readonly lexicon: Lexicon
  /** The policy's, or none. */
  readonly language: Language | undefined
  /** The collection's for the policy; absent without one. */
  readonly scale?: AppliedScale | undefined
  /** What several signals of this subject look at. */
  readonly memory: Memory
  /** What outlives it: words and texts that come back. */
  readonly lasting: Memory
}

/** One thing that can be measured. */
export interface Signal<Value = unknown> {
  /** Under which it is recorded. */
  readonly name: string
  /** `question`: it follows from the question alone, so that it is known before anything is retrieved. @default of both */
  readonly of?: 'question'
  /** A number that differs between the parts of a question, measured against the same evidence. @default it does not */
  readonly ofWords?: true
  /** Where a record is without it, there was none. @default a decision without it cannot be judged again */
  readonly mayLack?: true
  /** Pure. JSON, finite numbers only: it is recorded, and judged again later. `null` where there is nothing to measure. */
  measure(subject: Subject): Value
}

/**
 * A memory for as long as its owner keeps it.
 *
 * @param holder a `WeakMap` for keys that it must not hold. @default it holds them
 */
export function createMemory(holder: Map<unknown, unknown> | WeakMap<object, unknown> = new Map()): Memory {
  // Whoever gives a `WeakMap` remembers objects alone.
  const kept = holder as Map<unknown, unknown>
  return <Kept>(key: unknown, make: () => Kept): Kept => {
    if (!kept.has(key)) kept.set(key, make())
    // Under each key stands what its one maker made.
    return kept.get(key) as Kept
  }
}

/** Whether a signal is a number that differs between the parts of a question. */
export function isOfWords(signal: Signal): signal is Signal<number> {
  return signal.ofWords === true
}
