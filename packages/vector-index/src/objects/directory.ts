/** The object of an index that knows its namespaces: it answers what concerns all of them. */
import { agreeOnParts, type Platform } from '../protocol/embedded-index.ts'
import { describeIndex } from '../protocol/commands/info.ts'
import { notTheDefault, parseRenaming, unknownNamespace } from '../protocol/commands/namespaces.ts'
import type { Elsewhere } from '../protocol/commands/command.ts'
import { DailyUse } from '../protocol/daily-use.ts'
import { object } from '../protocol/fields.ts'
import { amountOf, namespaceOf, useOf } from '../protocol/protocol.ts'
import { queryEnded } from '../protocol/resumable-queries.ts'
import { limitsOf, withinPlan } from '../plan-limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { IndexSettings } from '../settings.ts'
import type { IndexStorage } from '../store/schema.ts'
import { DirectoryTable, type DirectoryEntry } from './directory-table.ts'
import { freshKey, keyInResumableName } from './object-names.ts'
import type { Failure, HolderCounts, HolderPeer } from './peers.ts'

/** What a directory needs beside its storage. */
export interface DirectoryOptions {
  readonly settings: IndexSettings
  readonly platform: Pick<Platform, 'nowMs'>
  /** Bytes of memory that the rows of one namespace may take. */
  readonly memoryBytesPerNamespace: number
  /** The object that holds what this key names. */
  readonly holder: (key: string) => HolderPeer
  readonly randomBytes: () => Uint8Array
}

/** Objects that are asked at the same time: what one request of a Worker may keep open, with room for others. */
const AT_ONCE = 5

/** A command for the index itself. */
export interface DirectoryRequest {
  readonly command: string
  readonly path: readonly string[]
  readonly body: unknown
}

/** The directory of one index. */
export class Directory {
  readonly #settings: IndexSettings
  readonly #memoryBytes: number
  readonly #table: DirectoryTable
  readonly #use: DailyUse
  readonly #holder: DirectoryOptions['holder']
  readonly #randomBytes: () => Uint8Array
  #telling: Promise<void> = Promise.resolve()

  /** @throws `config_invalid` when the index holds vectors that were made for other settings, or in an earlier layout */
  constructor(storage: IndexStorage, options: DirectoryOptions) {
    this.#settings = options.settings
    this.#memoryBytes = options.memoryBytesPerNamespace
    this.#table = new DirectoryTable(storage)
    this.#use = new DailyUse(storage, options.platform.nowMs)
    this.#holder = options.holder
    this.#randomBytes = options.randomBytes
    const filled = this.#table.entries().some((entry) => entry.vectorCount + entry.pendingVectorCount > 0)
    agreeOnParts(storage, filled, options.settings)
  }

  /** Carries out a command for the whole index. @returns what the client gets as `result` @throws `ProtocolError` */
  async answer({ command, path, body }: DirectoryRequest): Promise<unknown> {
    const use = useOf(command)
    if (use !== undefined) this.#use.count(use, amountOf(body), limitsOf(this.#settings.plan))
    switch (command) {
      case 'info':
        return this.#info()
      case 'list-namespaces':
        return this.#table.entries().map(({ name }) => name)
      case 'delete-namespace':
        return this.#deleteNamespace(namespaceOf(path.slice(1)))
      case 'rename-namespace':
        return this.#renameNamespace(body)
      case 'reset':
        return this.#resetAll()
      default:
        throw new ProtocolError(400, 'Unsupported command')
    }
  }

  /**
   * Key of the object that goes on with a resumable query.
   *
   * @throws `ProtocolError` 404 when none does
   */
  holderOfQuery(body: unknown): string {
    const { uuid } = object(body)
    const key = typeof uuid === 'string' ? keyInResumableName(uuid) : undefined
    if (typeof uuid !== 'string' || uuid === '') throw new ProtocolError(422, 'uuid is required')
    // A query to a namespace that does not exist is begun too, and goes on finding nothing.
    if (key === undefined) throw queryEnded(uuid)
    return key
  }

  /** Key of the object that holds a namespace; `undefined` when there is no namespace of that name. */
  holderOf(namespace: string): string | undefined {
    return this.#table.find(namespace)?.holder
  }

  /**
   * Makes a namespace where there is none.
   *
   * @param key of the object that would like to hold it; another one does when this one holds something else
   * @throws `ProtocolError` 422 when the plan allows no more
   */
  async create(namespace: string, key: string): Promise<{ readonly key: string }> {
    const known = this.#table.find(namespace)
    if (known !== undefined) return { key: known.holder }
    await this.#tellObjects()
    const { namespaces } = limitsOf(this.#settings.plan)
    // Others may have come in while objects were told.
    const entries = this.#table.entries()
    const since = entries.find(({ name }) => name === namespace)
    if (since !== undefined) return { key: since.holder }
    withinPlan('namespaces', entries.length + 1, namespaces)
    const holder = this.#table.isTaken(key) ? freshKey(this.#randomBytes()) : key
    this.#table.add(namespace, holder)
    return { key: holder }
  }

  /** Takes note of what an object holds. */
  report(key: string, counts: HolderCounts): void {
    this.#table.setCounts(key, counts)
  }

  /**
   * Counts a command against the plan's day.
   *
   * @returns what other objects hold
   * @throws `ProtocolError` 429 when the day's limit is used up
   */
  admit(key: string, use: 'queries' | 'updates' | undefined, amount: number): Elsewhere {
    if (use !== undefined) this.#use.count(use, amount, limitsOf(this.#settings.plan))
    const others = this.#table.entries().filter(({ holder }) => holder !== key)
    const sum = (numberOf: (entry: DirectoryEntry) => number) =>
      others.reduce((total, entry) => total + numberOf(entry), 0)
    return {
      // Namespaces are counted where they are made.
      namespaces: 0,
      vectors: sum(({ vectorCount, pendingVectorCount }) => vectorCount + pendingVectorCount),
      storedBytes: sum(({ storedBytes }) => storedBytes) + this.#table.sizeBytes,
    }
  }

  async #info(): Promise<unknown> {
    const pending = this.#table.entries().filter(({ pendingVectorCount }) => pendingVectorCount > 0)
    // Those become fewer with time, without a report.
    await eachOf(pending, async ({ holder }) => this.#table.setCounts(holder, await this.#holder(holder).counts()))
    const namespaces = this.#table.entries()
    return describeIndex(this.#settings, {
      namespaces,
      sizeBytes: namespaces.reduce((sum, { storedBytes }) => sum + storedBytes, this.#table.sizeBytes),
      memoryBytesPerNamespace: this.#memoryBytes,
    })
  }

  async #deleteNamespace(namespace: string): Promise<'Success'> {
    if (namespace === '') throw notTheDefault('deleted')
    if (this.#table.find(namespace) === undefined) throw unknownNamespace(namespace, this.#settings.name)
    this.#table.remove(namespace)
    await this.#tellObjects()
    return 'Success'
  }

  async #renameNamespace(body: unknown): Promise<{ readonly renamed: boolean }> {
    const { from, to, replaces } = parseRenaming(body)
    if (this.#table.find(from) === undefined) throw unknownNamespace(from, this.#settings.name)
    if (from === to || (this.#table.find(to) !== undefined && !replaces)) return { renamed: false }
    this.#table.rename(from, to)
    await this.#tellObjects()
    return { renamed: true }
  }

  async #resetAll(): Promise<'Success'> {
    await eachOf(this.#table.entries(), async ({ holder }) =>
      this.#table.setCounts(holder, await this.#holder(holder).clear()),
    )
    return 'Success'
  }

  /**
   * What the directory says holds from the moment it is written; an object that cannot be told now is told later. One
   * telling follows another, so that no object is told twice, the second time when it holds something new.
   */
  #tellObjects(): Promise<void> {
    const after = this.#telling.catch(() => undefined)
    this.#telling = after.then(() => this.#tellUntold())
    return this.#telling
  }

  async #tellUntold(): Promise<void> {
    await eachOf(this.#table.untold(), async ({ holder, name }) => {
      await (name === undefined ? this.#holder(holder).drop() : this.#holder(holder).rename(name))
      this.#table.told(holder)
    })
  }
}

/** Runs work for each, a few at the same time. */
async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values()
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
}

/** A failure of the sender's as it goes to another object; other errors go on. */
export async function orFailure<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer | Failure> {
  try {
    return await work()
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return { status: thrown.status, message: thrown.message }
    throw thrown
  }
}
