import { DurableObject } from 'cloudflare:workers'
import { errorForLog, isRagGateError } from 'hono-rag-gate/errors'
import { readAtMost, utf8TextOf } from 'hono-rag-gate/http'
import type { Elsewhere } from '../protocol/commands/command.ts'
import { Directory, orFailure } from '../objects/directory.ts'
import { Holder } from '../objects/holder.ts'
import { holderName, roleOf } from '../objects/object-names.ts'
import type { DirectoryPeer, Failure, HolderCounts, HolderPeer } from '../objects/peers.ts'
import { objectFor, routeOf, type RoutedCommand } from '../objects/route.ts'
import type { Platform } from '../protocol/embedded-index.ts'
import { errorResponse, requireMethod, type ProtocolResponse } from '../protocol/protocol.ts'
import { notJson, parseBody } from '../protocol/request-body.ts'
import { wireText } from '../protocol/wire-text.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { ScanKernel } from '../search/kernel.ts'
import scanKernel from '../search/scan.wasm'
import { MEMORY_BYTES } from '../store/store.ts'
import { indexesOf, settingsFor } from '../configured-indexes.ts'

/** Bytes of a command at most: a thousand passages of ordinary length fit many times over. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Bytes beyond them that are read and thrown away, so that the sender gets its answer. */
const MAX_DRAINED_BYTES = 256 * 1024 * 1024

/** A report that failed is made again after this long. */
const RETRY_MS = 10_000

/** What the object reads of its environment. */
export interface VectorIndexEnv {
  /** The objects of its own class. */
  readonly VECTOR_INDEX: DurableObjectNamespace<VectorIndex>
  /** Settings of indexes by name. */
  readonly VECTOR_INDEXES?: unknown
}

const PLATFORM: Platform = {
  nowMs: () => Date.now(),
  random: () => Math.random(),
  randomUuid: () => crypto.randomUUID(),
  // The interface describes what the file exports; a test compares the file with its source.
  makeKernel: () => new WebAssembly.Instance(scanKernel).exports as unknown as ScanKernel,
}

/**
 * An index in Durable Objects, speaking the REST protocol of Upstash Vector. The object of the index's name answers what
 * concerns the whole index, and each namespace has an object of its own; `indexStub` finds it. What kind of index it is,
 * `VECTOR_INDEXES` says under that name. It checks no token: every caller that reaches the object may use it, so `serveIndex`
 * stands before it wherever requests come from outside.
 */
export class VectorIndex extends DurableObject<VectorIndexEnv> implements DirectoryPeer, HolderPeer {
  readonly #role = roleOf(this.ctx.id.name ?? 'default')
  #openedDirectory: Directory | undefined
  #openedHolder: Holder | undefined

  override async fetch(request: Request): Promise<Response> {
    try {
      const route = routeOf(new URL(request.url))
      const answer = await (this.#role.key === undefined ? this.#direct(request, route) : this.#hold(request, route))
      return answer instanceof Response ? answer : jsonResponse(answer)
    } catch (thrown) {
      if (thrown instanceof ProtocolError) return jsonResponse(errorResponse(thrown))
      // Clients read the body of every response as JSON.
      console.error(`[vector-index] ${errorForLog(thrown)}`)
      return jsonResponse(errorResponse(new ProtocolError(500, 'Internal Server Error')))
    }
  }

  /** For objects that hold a namespace. */
  holderOf(namespace: string): Promise<string | undefined> {
    return Promise.resolve(this.#directory().holderOf(namespace))
  }

  /** For objects that hold a namespace. */
  create(namespace: string, key: string): Promise<{ readonly key: string } | Failure> {
    return orFailure(() => this.#directory().create(namespace, key))
  }

  /** For objects that hold a namespace. */
  report(key: string, counts: HolderCounts): Promise<void> {
    return Promise.resolve(this.#directory().report(key, counts))
  }

  /** For objects that hold a namespace. */
  admit(key: string, use: 'queries' | 'updates' | undefined, amount: number): Promise<Elsewhere | Failure> {
    return orFailure(() => this.#directory().admit(key, use, amount))
  }

  /** For the object of the index. */
  counts(): Promise<HolderCounts> {
    return Promise.resolve(this.#holder().counts())
  }

  /** For the object of the index. */
  rename(namespace: string): Promise<void> {
    return Promise.resolve(this.#holder().rename(namespace))
  }

  /** For the object of the index. */
  drop(): Promise<void> {
    return Promise.resolve(this.#holder().drop())
  }

  /** For the object of the index. */
  clear(): Promise<HolderCounts> {
    return Promise.resolve(this.#holder().clear())
  }

  override async alarm(): Promise<void> {
    const holder = this.#holder()
    await holder.retryReport()
    await holder.makeBlocks()
  }

  /** Answers for the whole index, or hands on to the object that holds the namespace. */
  async #direct(request: Request, { command, namespace, path }: RoutedCommand): Promise<Answer> {
    if (namespace !== undefined) return this.#stub(objectFor(this.#role.index, new URL(request.url))).fetch(request)
    const bytes = await readBody(request)
    const body = parseBody(command, textOf(bytes))
    requireMethod(command, request.method)
    const directory = this.#directory()
    if (command.startsWith('resumable-')) {
      const held = new Request(request.url, { method: request.method, body: bytes })
      return this.#holderStub(directory.holderOfQuery(body)).fetch(held)
    }
    return { status: 200, body: { result: await directory.answer({ command, path, body }) } }
  }

  /** Answers for the namespace, or hands on to the object that holds it instead. */
  async #hold(request: Request, { command, namespace, path, search }: RoutedCommand): Promise<Answer> {
    const holder = this.#holder()
    if (namespace !== undefined) {
      const other = await holder.otherHolder(command, namespace)
      if (other !== undefined) return this.#holderStub(other).fetch(request)
    }
    const body = parseBody(command, textOf(await readBody(request)))
    return holder.answer({ method: request.method, path, search, body })
  }

  #stub(name: string): DurableObjectStub<VectorIndex> {
    return this.env.VECTOR_INDEX.getByName(name)
  }

  #holderStub(key: string): DurableObjectStub<VectorIndex> {
    return this.#stub(holderName(this.#role.index, key))
  }

  #directory(): Directory {
    this.#openedDirectory ??= configured(
      () =>
        new Directory(this.ctx.storage, {
          settings: settingsFor(indexesOf(this.env), this.#role.index),
          platform: PLATFORM,
          memoryBytesPerNamespace: MEMORY_BYTES,
          holder: (key) => this.#holderStub(key),
          randomBytes: () => crypto.getRandomValues(new Uint8Array(17)),
        }),
    )
    return this.#openedDirectory
  }

  #holder(): Holder {
    this.#openedHolder ??= configured(
      () =>
        new Holder(this.ctx.storage, {
          settings: settingsFor(indexesOf(this.env), this.#role.index),
          platform: PLATFORM,
          key: this.#role.key ?? '',
          directory: this.#stub(this.#role.index),
          scheduleRetry: () => this.#scheduleRetry(),
          pause: () => scheduler.wait(0),
          alone: (work) => this.ctx.blockConcurrencyWhile(work),
        }),
    )
    return this.#openedHolder
  }

  async #scheduleRetry(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + RETRY_MS)
  }
}

type Answer = ProtocolResponse | Response

function jsonResponse({ status, body }: ProtocolResponse): Response {
  return new Response(wireText(body), { status, headers: { 'content-type': 'application/json' } })
}

/** @throws `ProtocolError` 500 with the reason when the configuration makes no sense */
function configured<Opened>(open: () => Opened): Opened {
  try {
    return open()
  } catch (thrown) {
    if (!isRagGateError(thrown)) throw thrown
    console.error(`[vector-index] ${thrown.message}`)
    throw new ProtocolError(500, `The index is not configured correctly: ${thrown.message}`)
  }
}

/** @throws `ProtocolError` 400 for what is no UTF-8 */
function textOf(bytes: Uint8Array): string {
  const text = utf8TextOf(bytes)
  if (text === undefined) throw notJson()
  return text
}

/** A body that is too large is read to its end all the same, and thrown away, as long as that is no attack. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const body = request.body?.pipeThrough(new TransformStream(cutAt(MAX_BODY_BYTES, MAX_DRAINED_BYTES))) ?? null
  const bytes = await readAtMost(body, MAX_BODY_BYTES + 1)
  if (bytes === undefined || bytes.length > MAX_BODY_BYTES) {
    throw new ProtocolError(413, `The body is larger than ${MAX_BODY_BYTES} bytes`)
  }
  return bytes
}

/**
 * Passes on so many bytes and one more, and swallows what follows: a client still sending when the answer comes would
 * see a broken connection instead of it.
 */
function cutAt(bytes: number, mostSwallowed: number): Transformer<Uint8Array, Uint8Array> {
  let passed = 0
  let swallowed = 0
  return {
    transform(piece, controller) {
      const rest = bytes + 1 - passed
      const first = piece.subarray(0, rest)
      passed += first.length
      swallowed += piece.length - first.length
      if (first.length > 0) controller.enqueue(first)
      if (swallowed > mostSwallowed) controller.terminate()
    },
  }
}
