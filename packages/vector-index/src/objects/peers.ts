/**
 * What the objects of an index ask of each other.
 *
 * An index is one object that knows its namespaces, and one for each namespace, so that a namespace that is full, cold or
 * much asked holds up no other. Answers are plain values, since errors lose their kind on the way between objects.
 */
import type { Elsewhere } from '../protocol/commands/command.ts'

/** A failure as it goes over. */
export interface Failure {
  readonly status: number
  readonly message: string
}

/** What an object says of the namespace that it holds. */
export interface HolderCounts {
  readonly vectorCount: number
  readonly pendingVectorCount: number
  readonly memoryBytes: number
  readonly storedBytes: number
  /** Rises with every change, so that reports may overtake each other. */
  readonly version: number
}

/** The object of an index that knows its namespaces. */
export interface DirectoryPeer {
  /** Key of the object that holds a namespace; `undefined` when there is no namespace of that name. */
  holderOf(namespace: string): Promise<string | undefined>
  /**
   * Makes a namespace where there is none.
   *
   * @param key of the object that would like to hold it
   * @returns the key of the object that is to hold it
   */
  create(namespace: string, key: string): Promise<{ readonly key: string } | Failure>
  /** Takes note of what an object holds. */
  report(key: string, counts: HolderCounts): Promise<void>
  /**
   * Counts a command against the plan's day.
   *
   * @returns what other objects hold
   */
  admit(key: string, use: 'queries' | 'updates' | undefined, amount: number): Promise<Elsewhere | Failure>
}

/** An object that holds a namespace. */
export interface HolderPeer {
  counts(): Promise<HolderCounts>
  /** Gives what it holds this name. */
  rename(namespace: string): Promise<void>
  /** Removes all it holds, and its name. */
  drop(): Promise<void>
  /** Removes all it holds, and keeps the name. */
  clear(): Promise<HolderCounts>
}

/** Whether an answer is a failure. */
export function isFailure(answer: object): answer is Failure {
  return 'status' in answer
}
