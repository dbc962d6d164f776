/**
 * The tools over HTTP: MCP's Streamable HTTP without sessions, and plain JSON.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
import type { Context, Handler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { isRecord } from 'hono-rag-gate/core/lib'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { identified, later, readJsonObject, respondWithError } from 'hono-rag-gate/middleware'
import type { AgentTools, Caller, ToolErrorCode } from './agent-tools.ts'
import { type ToolDescription, TOOLS } from './tool-descriptions.ts'

/** The tools of a route, or a function that makes them from the bindings; it should do so once. */
export type ToolsFor<Bindings extends object> = AgentTools | ((env: Bindings) => AgentTools)

type Env<Bindings extends object> = { Bindings: Bindings }

const LIMITS = { maxBytes: 65_536, timeoutMs: 10_000 }
/** Deadline of authentication. */
const IDENTIFY_TIMEOUT_MS = 3000

/** HTTP statuses of the tools' error codes. */
export const TOOL_STATUS: Readonly<Record<ToolErrorCode, ContentfulStatusCode>> = {
  not_found: 404,
  parameter: 422,
}

/** Supported protocol versions, newest first. */
const VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']
const LAST_WITH_HANDSHAKE = '2025-11-25'
const CAPABILITIES = { tools: {} }
const SERVER = { name: 'hono-rag-gate', version: '1' }
/** Tool lists are the same for everyone. */
const CACHED = { ttlMs: 3_600_000, cacheScope: 'public' }

const [PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS] = [-32_700, -32_600, -32_601, -32_602] as const

/**
 * Makes the handler of an MCP endpoint without sessions: `initialize`, `server/discover`, `ping`, `tools/list` and
 * `tools/call`, answered with JSON. A failed tool call is a result with `isError`, which the model can read and
 * correct; an invalid message is a JSON-RPC error, a failed authentication an HTTP error. Mount it for every method:
 * `app.all('/mcp', mcpEndpoint(tools))`.
 */
export function mcpEndpoint<Bindings extends object = object>(tools: ToolsFor<Bindings>): Handler<Env<Bindings>> {
  return async function mcpEndpoint(c) {
    try {
      if (c.req.method !== 'POST') {
        const refused = new RagGateError('method_not_allowed', 'Use POST: streams are not supported')
        const response = respondWithError(c, refused)
        response.headers.set('allow', 'POST')
        return response
      }
      requireOwnOrigin(c)
      const given = typeof tools === 'function' ? tools(c.env) : tools
      const caller = await callerOf(c, given)
      const version = c.req.header('mcp-protocol-version')
      if (version !== undefined && !VERSIONS.includes(version)) {
        return failure(c, null, INVALID_REQUEST, `Versions that are spoken here: ${VERSIONS.join(', ')}`, 400)
      }
      const { jsonrpc, id, method, params = {} } = await message(c)
      const isAnswered = isId(id)
      if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && !isAnswered)) {
        // A response from the client has no method and needs no answer.
        if (jsonrpc === '2.0' && method === undefined && isAnswered) return c.body(null, 202)
        return failure(c, null, INVALID_REQUEST, 'This is no JSON-RPC 2.0 message', 400)
      }
      if (!isAnswered) return c.body(null, 202)
      if (!isRecord(params)) return failure(c, id, INVALID_PARAMS, 'params must be an object')
      const result = method === 'tools/call' ? await called(given, params, caller) : answerTo(method, params)
      if (typeof result === 'string')
        return failure(c, id, method === 'tools/call' ? INVALID_PARAMS : NO_METHOD, result)
      return c.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
    } catch (thrown) {
      const response = respondWithError(c, thrown, TOOL_STATUS)
      if (!isRagGateError(thrown) || !NO_MESSAGE.includes(thrown.code)) return response
      const { error }: { error: { message: string } } = await response.json()
      // The HTTP status carries the detail that the JSON-RPC code lacks.
      const status = response.status as ContentfulStatusCode
      return c.json(
        { jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: error.message, data: error } },
        status,
      )
    }
  }
}

/** Error codes for bodies that are not JSON in UTF-8. */
const NO_MESSAGE: readonly string[] =
  'unsupported_media_type body_too_large body_timeout invalid_utf8 invalid_json too_deep'.split(' ')

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id)

/** Makes the handler of one tool as plain JSON; the arguments are the body. */
export function toolEndpoint<Bindings extends object = object>(
  tools: ToolsFor<Bindings>,
  name: ToolDescription['name'],
): Handler<Env<Bindings>> {
  return async function toolEndpoint(c) {
    try {
      const given = typeof tools === 'function' ? tools(c.env) : tools
      const caller = await callerOf(c, given)
      return c.json(await given.call(name, await message(c), caller))
    } catch (thrown) {
      return respondWithError(c, thrown, TOOL_STATUS)
    }
  }
}

const message = (c: Context): Promise<Readonly<Record<string, unknown>>> => readJsonObject(c.req, LIMITS)

/** Rejects requests from other sites' pages, which would use the browser's credentials. @throws `forbidden` */
function requireOwnOrigin(c: Context): void {
  const origin = c.req.header('origin')
  if (origin !== undefined && origin !== new URL(c.req.url).origin) {
    throw new RagGateError('forbidden', 'Pages of other origins are not allowed')
  }
}

async function callerOf(c: Context, { authenticate }: AgentTools): Promise<Caller> {
  const principal = await identified(authenticate, c.req.raw, IDENTIFY_TIMEOUT_MS)
  return { principal, later: (work) => later(c, work) }
}

/** @returns a string if the method is not supported */
function answerTo(method: string, { protocolVersion }: Readonly<Record<string, unknown>>): object | string {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: VERSIONS.find((each) => each === protocolVersion) ?? LAST_WITH_HANDSHAKE,
        capabilities: CAPABILITIES,
        serverInfo: SERVER,
      }
    case 'server/discover':
      return {
        ...CACHED,
        supportedVersions: VERSIONS,
        capabilities: CAPABILITIES,
        _meta: { 'io.modelcontextprotocol/serverInfo': SERVER },
      }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: TOOLS, ...CACHED }
    default:
      return 'This method is not spoken here'
  }
}

/** @returns a string if no tool is named */
async function called(
  tools: AgentTools,
  { name, arguments: given = {} }: Readonly<Record<string, unknown>>,
  caller: Caller,
): Promise<object | string> {
  const tool = TOOLS.find((each) => each.name === name)
  if (tool === undefined) return 'There is no such tool'
  try {
    if (!isRecord(given)) throw new RagGateError<ToolErrorCode>('parameter', 'arguments must be an object')
    const result = await tools.call(tool.name, given, caller)
    return { content: [textOf(result)], structuredContent: result, isError: false }
  } catch (thrown) {
    // Errors of other kinds are logged where the HTTP error is made.
    if (!isRagGateError(thrown)) throw thrown
    const { code, message: words, param } = thrown
    const failed = { success: false, error: { code, message: words, ...(param && { param }) } }
    return { content: [textOf(failed)], structuredContent: failed, isError: true }
  }
}

const textOf = (value: object) => ({ type: 'text', text: JSON.stringify(value) })

function failure(
  c: Context,
  id: string | number | null,
  code: number,
  words: string,
  status: ContentfulStatusCode = 200,
): Response {
  return c.json({ jsonrpc: '2.0', id, error: { code, message: words } }, status)
}
