import { DurableObject } from 'cloudflare:workers'
import { errorForLog, isRagGateError } from 'hono-rag-gate/errors'
import { utf8TextOf } from 'hono-rag-gate/http'
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
import { notJson, parseBody } from '../protocol/request-body.ts'
import { wireText } from '../protocol/wire-text.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { ScanKernel } from '../search/kernel.ts'
import scanKernel from '../search/scan.wasm'
import type { IndexSettings } from '../settings.ts'
import { MEMORY_BYTES, type NamespaceCounts } from '../store/store.ts'

/** Bytes of a command at most: a thousand passages of ordinary length fit many times over. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Bytes of a larger one that are read and thrown away, so that the sender gets its answer. */
const MAX_DRAINED_BYTES = 256 * 1024 * 1024

/** What was written is reported again after this long: the first report may have been lost. */
const REPORT_AGAIN_MS = 10_000

/** What the object reads of its environment. */
export interface VectorIndexEnv {
  /** The objects of its own class. */
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
  /** Settings of indexes by name. */
  readonly VECTOR_INDEXES?: unknown
}

/**
 * An index in Durable Objects, speaking the REST protocol of Upstash Vector. The object of the index's name answers what
 * concerns the whole index, and each namespace has an object of its own; `indexStub` finds it. What kind of index it is,
 * `VECTOR_INDEXES` says under that name. It checks no token: every caller that reaches the object may use it, so `serveIndex`
 * stands before it wherever requests come from outside.
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
      // Clients read the body of every response as JSON. What is wrong with the configuration is told them.
      const known = isRagGateError(thrown) ? thrown.message : undefined
      console.error(`[vector-index] ${known ?? errorForLog(thrown)}`)
      const message = known === undefined ? 'Internal Server Error' : `The index is not configured correctly: ${known}`
      return jsonResponse(errorResponse(new ProtocolError(500, message)))
    }
  }

  /** For objects that hold a namespace. @throws when the index is not configured correctly */
  report(namespace: string, counts: NamespaceCounts): Promise<void> {
    return Promise.resolve(this.#directory().report(namespace, counts))
  }

  /** For the object of the index: removes all that this one holds. @param name what it is called from then on */
  async empty(name: string | null): Promise<void> {
    this.#index().store.reset(name)
    await this.#report()
  }

  /** Reports again, in case that a report was lost. */
  override alarm(): Promise<void> {
    return this.#report()
  }

  /** Answers for the whole index, or hands on to the object that holds the namespace. */
  async #direct(request: Request, { command, namespace, isIndexWide }: RoutedCommand): Promise<Answer> {
    if (!isIndexWide) return this.#stub(objectFor(this.#role.index, new URL(request.url))).fetch(request)
    const text = await readBody(request)
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

  /** Answers for the namespace. */
  async #hold(request: Request, { command, namespace }: RoutedCommand): Promise<Answer> {
    const index = this.#index()
    const body = parseBody(command, await readBody(request))
    const kind = kindOfCommand(command)
    if (kind === 'searches') await this.#load(index)
    // The write stands, whether the directory hears of it now or later.
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

  /** Loads in steps, so that a large namespace holds up no other object of the isolate. */
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

  /** @throws `config_invalid` when the configuration makes no sense */
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
      // The interface describes what the file exports; a test compares the file with its source.
      kernel: new WebAssembly.Instance(scanKernel).exports as unknown as ScanKernel,
    })
    return this.#openedIndex
  }
}

type Answer = ProtocolResponse | Response

function jsonResponse({ status, body }: ProtocolResponse): Response {
  return new Response(wireText(body), { status, headers: { 'content-type': 'application/json' } })
}

/**
 * Reads a body. One that is too large is read to its end all the same, and thrown away, as long as that is no attack: a
 * client still sending when the answer comes would see a broken connection instead of it.
 *
 * @throws `ProtocolError` 413 for one that is too large, 400 for what is no UTF-8
 */
async function readBody({ body }: Request): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length <= MAX_BODY_BYTES) pieces.push(piece)
    if (length > MAX_DRAINED_BYTES) break
  }
  if (length > MAX_BODY_BYTES) throw new ProtocolError(413, `The body is larger than ${MAX_BODY_BYTES} bytes`)
  const text = utf8TextOf(new Uint8Array(await new Blob(pieces).arrayBuffer()))
  if (text === undefined) throw notJson()
  return text
}
