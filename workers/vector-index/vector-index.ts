import { DurableObject } from 'cloudflare:workers'
import { answerCommand, errorResponse, type ProtocolResponse } from '../../src/embedded/protocol.ts'
import { ProtocolError } from '../../src/embedded/protocol-error.ts'
import { VectorStore } from '../../src/embedded/store.ts'
import { readAtMost } from '../../src/http/read-at-most.ts'

/** Bytes of a command at most: a thousand passages of ordinary length fit many times over. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/**
 * An index in a Durable Object, speaking the REST protocol of Upstash Vector. It checks no token: whoever can reach the
 * object may use it, so `serveIndex` stands before it wherever requests come from outside.
 */
export class VectorIndex extends DurableObject {
  readonly #store: VectorStore

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.#store = new VectorStore(ctx.storage)
  }

  override async fetch(request: Request): Promise<Response> {
    const answer = await this.#answer(request)
    return Response.json(answer.body, { status: answer.status })
  }

  async #answer(request: Request): Promise<ProtocolResponse> {
    const { pathname, search } = new URL(request.url)
    try {
      return answerCommand(this.#store, {
        method: request.method,
        path: pathname.slice(1).split('/'),
        search: search.slice(1),
        body: parseJson(await readBody(request)),
      })
    } catch (thrown) {
      if (thrown instanceof ProtocolError) return errorResponse(thrown)
      throw thrown
    }
  }
}

async function readBody(request: Request): Promise<Uint8Array> {
  const bytes = await readAtMost(request.body, MAX_BODY_BYTES)
  if (bytes === undefined) throw new ProtocolError(413, `The body is larger than ${MAX_BODY_BYTES} bytes`)
  return bytes
}

/** @returns `undefined` for an empty body */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes))
  } catch {
    throw new ProtocolError(400, 'The body is not valid JSON')
  }
}
