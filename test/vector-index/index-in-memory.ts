/** An index in this process: its namespaces and their directory, each over SQLite in memory. */
import { Directory, holderOfQuery } from '../../packages/vector-index/src/objects/directory.ts'
import { keyOf, routeOf } from '../../packages/vector-index/src/objects/object-names.ts'
import {
  openIndex,
  type EmbeddedIndex,
  type Platform,
} from '../../packages/vector-index/src/protocol/embedded-index.ts'
import {
  answerCommand,
  errorResponse,
  kindOfCommand,
  requireCommand,
  type ProtocolResponse,
} from '../../packages/vector-index/src/protocol/protocol.ts'
import { ProtocolError } from '../../packages/vector-index/src/protocol-error.ts'
import { indexSettings, type IndexSettings } from '../../packages/vector-index/src/settings.ts'
import type { IndexStorage } from '../../packages/vector-index/src/store/schema.ts'
import { MEMORY_BYTES } from '../../packages/vector-index/src/store/store.ts'
import { loadKernel } from '../../scripts/load-kernel.ts'
import { sqliteStorage } from './sqlite-storage.ts'

const PLATFORM: Omit<Platform, 'kernel'> = {
  nowMs: () => Date.now(),
  randomUuid: () => crypto.randomUUID(),
}

/** An index that can be asked at once. */
export class IndexInMemory {
  readonly #platform: Platform
  #settings: IndexSettings
  readonly #storages = new Map<string, IndexStorage>()
  readonly #opened = new Map<string, EmbeddedIndex>()
  readonly #directory: Directory

  /** @param settings in the words of `VECTOR_INDEXES` */
  constructor(settings: unknown = {}, platform: Omit<Platform, 'kernel'> = PLATFORM) {
    this.#platform = { ...platform, kernel: loadKernel() }
    this.#settings = indexSettings('default', settings)
    this.#directory = new Directory(sqliteStorage(), this.#settings, MEMORY_BYTES)
  }

  /** Forgets what is in memory, as an eviction does, and opens what there is again. */
  restart(settings?: unknown): void {
    if (settings !== undefined) this.#settings = indexSettings('default', settings)
    this.#opened.clear()
    for (const [key, storage] of this.#storages) this.#index(key, storage)
  }

  /** Storage of a namespace. */
  storage(namespace: string): IndexStorage {
    const key = keyOf(namespace)
    const storage = this.#storages.get(key) ?? sqliteStorage()
    this.#storages.set(key, storage)
    return storage
  }

  /** Carries out a command as a Worker's objects do. @param path of the URL, with its query string */
  answer(method: string, path: string, body: unknown): ProtocolResponse {
    try {
      const { command, namespace, isIndexWide } = routeOf(new URL(path, 'https://index.test'))
      if (isIndexWide) return this.#answerForAll(command, namespace, method, body)
      const index = this.#index(keyOf(namespace), this.storage(namespace))
      const response = answerCommand(index, { command, method, namespace, body })
      const { name } = index.store
      if (kindOfCommand(command) === 'writes' && name !== undefined) this.#directory.report(name, index.store.counts())
      return response
    } catch (thrown) {
      if (thrown instanceof ProtocolError) return errorResponse(thrown)
      throw thrown
    }
  }

  #answerForAll(command: string, namespace: string, method: string, body: unknown): ProtocolResponse {
    requireCommand(command, method)
    if (command === 'info') return { status: 200, body: { result: this.#directory.info() } }
    if (command === 'list-namespaces') return { status: 200, body: { result: this.#directory.names() } }
    if (command.startsWith('resumable-')) {
      const key = holderOfQuery(body)
      return answerCommand(this.#index(key, this.#storages.get(key)!), { command, method, namespace, body })
    }
    if (command === 'delete-namespace') this.#directory.requireDeletable(namespace)
    for (const name of command === 'reset' ? this.#directory.names() : [namespace]) {
      const { store } = this.#index(keyOf(name), this.storage(name))
      store.reset(command === 'reset' ? name : null)
      this.#directory.report(name, store.counts())
    }
    if (command === 'delete-namespace') this.#directory.remove(namespace)
    return { status: 200, body: { result: 'Success' } }
  }

  #index(key: string, storage: IndexStorage): EmbeddedIndex {
    const randomUuid = () => `${this.#platform.randomUuid()}.${key}`
    const index = this.#opened.get(key) ?? openIndex(storage, this.#settings, { ...this.#platform, randomUuid })
    this.#opened.set(key, index)
    return index
  }
}
