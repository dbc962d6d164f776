/** An object that holds one namespace of an index, and answers what concerns it. */
import type { Elsewhere } from '../protocol/commands/command.ts'
import { openIndex, type EmbeddedIndex, type Platform } from '../protocol/embedded-index.ts'
import { amountOf, answerCommand, useOf, type ProtocolResponse } from '../protocol/protocol.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { IndexSettings } from '../settings.ts'
import { numberOf, type IndexStorage } from '../store/schema.ts'
import { resumableName } from './object-names.ts'
import { isFailure, type DirectoryPeer, type HolderCounts } from './peers.ts'

/** What an object that holds a namespace needs beside its storage. */
export interface HolderOptions {
  readonly settings: IndexSettings
  readonly platform: Platform
  /** Its own key. */
  readonly key: string
  readonly directory: DirectoryPeer
  /** Has `retryReport` called some seconds later, also when the object is gone by then. */
  readonly scheduleRetry: () => Promise<void>
  /** Lets other objects of the isolate go on. */
  readonly pause: () => Promise<void>
  /** Runs work while no other request reaches the object. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** A command for the namespace that the object holds. */
export interface HolderRequest {
  readonly method: string
  readonly path: readonly string[]
  readonly search: string
  readonly body: unknown
}

/** Commands that make a namespace. */
const MAKING: ReadonlySet<string> = new Set(['upsert', 'upsert-data'])

/** Commands that need the namespace in memory. */
const SEARCHING: ReadonlySet<string> = new Set([
  'query',
  'query-data',
  'resumable-query',
  'resumable-query-data',
  'resumable-query-next',
])

/** Days are counted by the directory. */
const COUNTED_ELSEWHERE = { count: () => undefined }

/** What was reported last; one row. */
const REPORTED = `CREATE TABLE IF NOT EXISTS reported (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  vectors INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  told INTEGER NOT NULL
)`

/** One namespace of an index. */
export class Holder {
  readonly #index: EmbeddedIndex
  readonly #storage: IndexStorage
  readonly #options: HolderOptions

  /** @throws `config_invalid` when it holds vectors that were made for other settings */
  constructor(storage: IndexStorage, options: HolderOptions) {
    const { settings, platform, key } = options
    const randomUuid = () => resumableName(platform.randomUuid(), key)
    const opened = openIndex(storage, settings, { ...platform, randomUuid })
    this.#index = { ...opened, use: COUNTED_ELSEWHERE }
    this.#storage = storage
    this.#options = options
    storage.sql.exec(REPORTED)
  }

  /**
   * Finds out whether this object answers a command to a namespace. A namespace that does not exist is made where the
   * command makes one, and is else answered here as an empty one.
   *
   * @returns the key of the object that answers instead; `undefined` when this one does
   * @throws `ProtocolError` when the namespace cannot be made
   */
  async otherHolder(command: string, namespace: string): Promise<string | undefined> {
    const { store } = this.#index
    const makes = MAKING.has(command)
    // The first write of all asks too, since the directory knows whether the index may be filled with these settings.
    if (store.hasNamespace(namespace) && !(makes && this.#isEmpty(namespace))) return undefined
    const { key, directory } = this.#options
    const holder = makes ? await this.#created(namespace) : await directory.holderOf(namespace)
    if (holder !== undefined && holder !== key) return holder
    if (holder === key) this.rename(namespace)
    return undefined
  }

  /** Carries out a command. */
  async answer(request: HolderRequest): Promise<ProtocolResponse> {
    const [command = ''] = request.path
    const { store, settings } = this.#index
    const use = useOf(command)
    let elsewhere: Elsewhere | undefined
    if (settings.plan !== 'off' && use !== undefined) {
      const admitted = await this.#options.directory.admit(this.#options.key, use, amountOf(request.body))
      if (isFailure(admitted))
        return { status: admitted.status, body: { error: admitted.message, status: admitted.status } }
      elsewhere = admitted
    }
    store.settle()
    if (SEARCHING.has(command)) await this.#load(this.#held())
    if (use === 'updates') await this.#options.scheduleRetry()
    const response = answerCommand(this.#index, request, elsewhere)
    if (use === 'updates') await this.#report()
    return response
  }

  /** What it holds by now. */
  counts(): HolderCounts {
    this.#index.store.settle()
    const { store } = this.#index
    const held = this.#held()
    const { vectorCount, pendingVectorCount, memoryBytes } = store.namespaces().find(({ name }) => name === held)!
    const { sql } = this.#storage
    const [before] = sql.exec('SELECT * FROM reported').toArray()
    const same =
      before !== undefined &&
      vectorCount === numberOf(before, 'vectors') &&
      pendingVectorCount === numberOf(before, 'pending') &&
      memoryBytes === numberOf(before, 'memory')
    const version = (before === undefined ? 0 : numberOf(before, 'version')) + (same ? 0 : 1)
    if (!same) {
      const values = [version, vectorCount, pendingVectorCount, memoryBytes]
      sql.exec('INSERT OR REPLACE INTO reported VALUES (1, ?, ?, ?, ?, 0)', ...values)
    }
    return { vectorCount, pendingVectorCount, memoryBytes, storedBytes: store.sizeBytes, version }
  }

  /** Gives what it holds this name. */
  rename(namespace: string): void {
    const { store } = this.#index
    const held = this.#held()
    if (held === namespace) return
    if (held === '') store.createNamespace(namespace)
    else store.renameNamespace(held, namespace)
  }

  /** Removes all it holds, and its name. */
  drop(): void {
    const { store } = this.#index
    store.resetAll()
    store.deleteNamespace(this.#held())
  }

  /** Removes all it holds, and keeps the name. */
  clear(): HolderCounts {
    this.#index.store.resetAll()
    return this.counts()
  }

  /** Makes blocks of what was written since the last were made, in steps between which others are answered. */
  async makeBlocks(): Promise<void> {
    const { store } = this.#index
    const held = this.#held()
    if (!store.isBehind(held)) return
    await this.#load(held)
    for (const _step of store.makeBlocks(held)) await this.#options.pause()
  }

  /** Reports again what could not be reported. @throws when that fails again */
  async retryReport(): Promise<void> {
    const counts = this.counts()
    const [reported] = this.#storage.sql.exec('SELECT told FROM reported').toArray()
    if (reported !== undefined && numberOf(reported, 'told') === 0) await this.#tell(counts)
  }

  /** The namespace it holds; the default one of an object that holds none else is empty but in its own object. */
  #held(): string {
    return this.#index.store.namespaces().find(({ name }) => name !== '')?.name ?? ''
  }

  #isEmpty(namespace: string): boolean {
    const counts = this.#index.store.namespaces().find(({ name }) => name === namespace)
    return counts === undefined || counts.vectorCount + counts.pendingVectorCount === 0
  }

  async #created(namespace: string): Promise<string> {
    const created = await this.#options.directory.create(namespace, this.#options.key)
    if (isFailure(created)) throw protocolError(created)
    return created.key
  }

  /** Loads the namespace in steps, so that a large one holds up no other object of the isolate. */
  async #load(namespace: string): Promise<void> {
    const { store } = this.#index
    if (store.isLoaded(namespace)) return
    const { alone, pause } = this.#options
    await alone(async () => {
      for (const _step of store.load(namespace)) await pause()
    })
  }

  /** The write stands, whether the directory hears of it now or later. */
  async #report(): Promise<void> {
    const counts = this.counts()
    try {
      await this.#tell(counts)
    } catch {
      // It is tried again: `scheduleRetry` was asked before the write.
    }
  }

  async #tell(counts: HolderCounts): Promise<void> {
    await this.#options.directory.report(this.#options.key, counts)
    this.#storage.sql.exec('UPDATE reported SET told = 1 WHERE version = ?', counts.version)
  }
}

/** The error that another object answered. */
function protocolError({ status, message }: { readonly status: number; readonly message: string }): ProtocolError {
  // Only statuses of protocol errors go over.
  return new ProtocolError(status as ProtocolError['status'], message)
}
