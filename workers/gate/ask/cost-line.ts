/** Adds the cost of a message to answers for operators, if prices are configured. */
import { type AnswerBody, mapEvents } from '@hono-rag-gate/chat/completions'
import type { Context, MiddlewareHandler } from 'hono'
import type { Prices, TokenUsage } from 'hono-rag-gate/core/reports'
import { mediaTypeOf } from 'hono-rag-gate/http'
import type { GateBindings } from '../bindings.ts'
import { pricesOf } from '../statistics/savings-ledger.ts'
import { replace } from './form.ts'

/** Token usage reported by the model for a request, even if its answer was not used. */
const spent = new WeakMap<Context, TokenUsage>()

/** Records the token usage of a request. */
export function noteUsage(c: Context, usage: TokenUsage): void {
  spent.set(c, usage)
}

/**
 * Adds `cost`. An answer from the cache cost no tokens; one that was refused after generation did. Mount it between the
 * form of an answer and its gate.
 */
export const tellCost: MiddlewareHandler<{ Bindings: GateBindings }> = async function tellCost(c, next) {
  await next()
  const prices = pricesOf(c.env)
  if (prices === undefined || c.res.status !== 200 || !c.res.headers.has('rag-gate')) return
  const retrievals = c.res.headers.get('server-timing')?.includes('retrieval;') === true ? 1 : 0
  const cost = (): string => costLine(prices, retrievals, spent.get(c))
  const type = c.res.headers.get('content-type') ?? ''
  if (mediaTypeOf(type) === 'json') {
    const body = await c.res.json<AnswerBody>()
    replace(c, type, JSON.stringify(isForOperators(body) ? { ...body, cost: cost() } : body))
  } else if (mediaTypeOf(type) === 'events' && c.res.body !== null) {
    let isTold: boolean | undefined
    replace(
      c,
      type,
      mapEvents(c.res.body, (event) => {
        isTold ??= event.includes('"rag_gate":') && isForOperators(chunkOf(event).rag_gate)
        // Cannot occur within a text, because JSON escapes quotation marks.
        if (!isTold || !event.includes('"finish_reason":"')) return event
        return `data: ${JSON.stringify({ ...chunkOf(event), cost: cost() })}\n\n`
      }),
    )
  }
}

/** Events of this Worker have one data line. */
function chunkOf(event: string): { readonly rag_gate?: object } {
  return JSON.parse(event.slice('data: '.length)) as object
}

/** Only operators' answers have `detail`. */
function isForOperators(about: object = {}): boolean {
  return 'detail' in about
}

/** Formats a price, such as `This message: $0.0162`: four decimals, or more if needed for two significant digits. */
export function costLine(prices: Prices, retrievals: number, usage?: TokenUsage): string {
  const { currency, inputPerMillionTokens, outputPerMillionTokens, perRetrieval } = prices
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  const tokens = (inputTokens * inputPerMillionTokens + outputTokens * outputPerMillionTokens) / 1e6
  const cost = tokens + retrievals * perRetrieval
  const decimals = cost > 0 ? Math.min(12, Math.max(4, 1 - Math.floor(Math.log10(cost)))) : 4
  const amount = cost.toFixed(decimals)
  return `This message: ${currency === 'USD' ? `$${amount}` : `${amount} ${currency}`}`
}
