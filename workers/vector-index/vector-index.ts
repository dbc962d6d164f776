import { DurableObject } from 'cloudflare:workers'
import scanKernel from '../../src/vector-index/search/dense/scan.wasm'
import type { ScanKernel } from '../../src/vector-index/search/dense/kernel.ts'
import { openIndex, type EmbeddedIndex } from '../../src/vector-index/protocol/embedded-index.ts'
import { answerCommand, errorResponse, type ProtocolResponse } from '../../src/vector-index/protocol/protocol.ts'
import { parseBody } from '../../src/vector-index/protocol/request-body.ts'
import { ProtocolError } from '../../src/vector-index/protocol-error.ts'
import { wireText } from '../../src/vector-index/protocol/wire-text.ts'
import { isRagGateError } from '../../src/errors.ts'
import { readAtMost } from '../../src/http/read-at-most.ts'
import { indexesOf, settingsFor } from './configured-indexes.ts'

/** Bytes of a command at most: a thousand passages of ordinary length fit many times over. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/** The variable that the object reads: settings of indexes by name. */
export interface VectorIndexEnv {
  readonly VECTOR_INDEXES?: unknown
}

/**
 * An index in a Durable Object, speaking the REST protocol of Upstash Vector. What kind of index it is, `VECTOR_INDEXES`
 * says under the object's name. It checks no token: whoever can reach the object may use it, so `serveIndex` stands
 * before it wherever requests come from outside.
 */
export class VectorIndex extends DurableObject<VectorIndexEnv> {
  #opened: EmbeddedIndex | undefined

  override async fetch(request: Request): Promise<Response> {
    const { status, body } = await this.#answer(request)
    return new Response(wireText(body), { status, headers: { 'content-type': 'application/json' } })
  }

  async #answer(request: Request): Promise<ProtocolResponse> {
    const { pathname, search } = new URL(request.url)
    try {
      const index = this.#index()
      const path = pathname.slice(1).split('/')
      const body = parseBody(path[0] ?? '', await readBody(request))
      return answerCommand(index, { method: request.method, path, search: search.slice(1), body })
    } catch (thrown) {
      if (thrown instanceof ProtocolError) return errorResponse(thrown)
      // Clients read the body of every response as JSON.
      console.error('[vector-index]', thrown)
      return errorResponse(new ProtocolError(500, 'Internal Server Error'))
    }
  }

  /** @throws `ProtocolError` 500 with the reason when the configuration makes no sense */
  #index(): EmbeddedIndex {
    try {
      this.#opened ??= openIndex(this.ctx.storage, settingsFor(indexesOf(this.env), this.ctx.id.name ?? 'default'), {
        nowMs: () => Date.now(),
        random: () => Math.random(),
        randomUuid: () => crypto.randomUUID(),
        // The interface describes what the file exports; a test compares the file with its source.
        makeKernel: () => new WebAssembly.Instance(scanKernel).exports as unknown as ScanKernel,
      })
      return this.#opened
    } catch (thrown) {
      if (!isRagGateError(thrown)) throw thrown
      console.error(`[vector-index] ${thrown.message}`)
      throw new ProtocolError(500, `The index is not configured correctly: ${thrown.message}`)
    }
  }
}

async function readBody(request: Request): Promise<Uint8Array> {
  const bytes = await readAtMost(request.body, MAX_BODY_BYTES)
  if (bytes === undefined) throw new ProtocolError(413, `The body is larger than ${MAX_BODY_BYTES} bytes`)
  return bytes
}
