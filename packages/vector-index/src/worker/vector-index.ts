import { DurableObject } from 'cloudflare:workers'
import { errorForLog, isRagGateError } from 'hono-rag-gate/errors'
import { indexesOf, settingsFor } from '../configured-indexes.ts'
import { Directory, holderOfQuery } from '../objects/directory.ts'
import { holderName, keyOf, objectFor, roleOf, routeOf, type RoutedCommand } from '../objects/object-names.ts'
import { openIndex, type EmbeddedIndex } from '../protocol/embedded-index.ts'
import {
  answerCommand,
  errorResponse,
  kindOfCommand,
  requireCommand,
  type ProtocolResponse,
} from '../protocol/protocol.ts'
import { parseBody, readBody } from '../protocol/request-body.ts'
import { wireText } from '../protocol/wire-text.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { ScanKernel } from '../search/kernel.ts'
import scanKernel from '../search/scan.wasm'
import type { IndexSettings } from '../settings.ts'
import { MEMORY_BYTES, type NamespaceCounts } from '../store/store.ts'

/** A write is reported again after this time, in case that the first report was lost. */
const REPORT_AGAIN_MS = 10_000

/** Environment of the object. */
export interface VectorIndexEnv {
  /** Binding of its own class. */
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
  /** Settings of indexes by name. */
  readonly VECTOR_INDEXES?: unknown
}

/**
 * An index in Durable Objects with the REST protocol of Upstash Vector. The object with the index's name serves
 * commands about the whole index, and each namespace has its own object; `indexStub` finds it. `VECTOR_INDEXES` has the
 * settings under the index's name. The object checks no token, so `serveIndex` must precede it for external requests.
 */
export class VectorIndex extends DurableObject<VectorIndexEnv> {
  readonly #role = roleOf(this.ctx.id.name ?? 'default')
  #openedDirectory: Directory | undefined
  #openedIndex: EmbeddedIndex | undefined

  override async fetch(request: Request): Promise<Response> {
    try {
      const route = routeOf(new URL(request.url))
      const answer = await (this.#role.key === undefined ? this.#direct(request, route) : this.#hold(request, route))
      return answer instanceof Response ? answer : jsonResponse(answer)
    } catch (thrown) {
      if (thrown instanceof ProtocolError) return jsonResponse(errorResponse(thrown))
      // Clients parse every response as JSON. Configuration errors are shown to them.
      const known = isRagGateError(thrown) ? thrown.message : undefined
      console.error(`[vector-index] ${known ?? errorForLog(thrown)}`)
      const message = known === undefined ? 'Internal Server Error' : `The index is not configured correctly: ${known}`
      return jsonResponse(errorResponse(new ProtocolError(500, message)))
    }
  }

  /** Called by objects that hold a namespace. @throws if the index is misconfigured */
  report(namespace: string, counts: NamespaceCounts): Promise<void> {
    return Promise.resolve(this.#directory().report(namespace, counts))
  }

  /** Called by the index's object: deletes everything in this one. @param name its new name */
  async empty(name: string | null): Promise<void> {
    this.#index().store.reset(name)
    await this.#report()
  }

  /** Reports again, in case that a report was lost. */
  override alarm(): Promise<void> {
    return this.#report()
  }

  /** Serves commands about the whole index, and forwards others to the object that holds the namespace. */
  async #direct(request: Request, { command, namespace, isIndexWide }: RoutedCommand): Promise<Answer> {
    if (!isIndexWide) return this.#stub(objectFor(this.#role.index, new URL(request.url))).fetch(request)
    const text = await readBody(request.body)
    const body = parseBody(command, text)
    requireCommand(command, request.method)
    const directory = this.#directory()
    switch (command) {
      case 'info':
        return { status: 200, body: { result: directory.info() } }
      case 'list-namespaces':
        return { status: 200, body: { result: directory.names() } }
      case 'delete-namespace':
        directory.requireDeletable(namespace)
        await this.#holderOf(keyOf(namespace)).empty(null)
        directory.remove(namespace)
        break
      case 'reset':
        for (const name of directory.names()) await this.#holderOf(keyOf(name)).empty(name)
        break
      default: {
        const held = new Request(request.url, { method: request.method, body: text })
        return this.#holderOf(holderOfQuery(body)).fetch(held)
      }
    }
    return { status: 200, body: { result: 'Success' } }
  }

  /** Serves commands on the namespace. */
  async #hold(request: Request, { command, namespace }: RoutedCommand): Promise<Answer> {
    const index = this.#index()
    const body = parseBody(command, await readBody(request.body))
    const kind = kindOfCommand(command)
    if (kind === 'searches') await this.#load(index)
    // The write is complete, even if the directory learns of it later.
    if (kind === 'writes' && (await this.ctx.storage.getAlarm()) === null) {
      await this.ctx.storage.setAlarm(Date.now() + REPORT_AGAIN_MS)
    }
    const answer = answerCommand(index, { command, method: request.method, namespace, body })
    if (kind === 'writes') await this.#report().catch(() => undefined)
    return answer
  }

  async #report(): Promise<void> {
    const { store } = this.#index()
    if (store.name !== undefined) await this.#stub(this.#role.index).report(store.name, store.counts())
  }

  /** Loads in steps, so that a large namespace does not block other objects of the isolate. */
  async #load({ store }: EmbeddedIndex): Promise<void> {
    if (store.isLoaded) return
    await this.ctx.blockConcurrencyWhile(async () => {
      for (const _step of store.load()) await scheduler.wait(0)
    })
  }

  #stub(name: string): DurableObjectStub<VectorIndex> {
    return this.env.VECTOR_INDEX.getByName(name)
  }

  #holderOf(key: string): DurableObjectStub<VectorIndex> {
    return this.#stub(holderName(this.#role.index, key))
  }

  /** @throws `config_invalid` for an invalid configuration */
  #settings(): IndexSettings {
    return settingsFor(indexesOf(this.env), this.#role.index)
  }

  #directory(): Directory {
    this.#openedDirectory ??= new Directory(this.ctx.storage, this.#settings(), MEMORY_BYTES)
    return this.#openedDirectory
  }

  #index(): EmbeddedIndex {
    const { key = '' } = this.#role
    this.#openedIndex ??= openIndex(this.ctx.storage, this.#settings(), {
      nowMs: () => Date.now(),
      randomUuid: () => `${crypto.randomUUID()}.${key}`,
      // The interface describes the file's exports; a test compares the file with its source.
      kernel: new WebAssembly.Instance(scanKernel).exports as unknown as ScanKernel,
    })
    return this.#openedIndex
  }
}

type Answer = ProtocolResponse | Response

function jsonResponse({ status, body }: ProtocolResponse): Response {
  return new Response(wireText(body), { status, headers: { 'content-type': 'application/json' } })
}
