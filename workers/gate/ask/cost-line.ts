/** What a message cost, beside its answer, where prices are set: for operators, like every other figure. */
import { type AnswerBody, mapEvents } from '@hono-rag-gate/chat/completions'
import type { Context, MiddlewareHandler } from 'hono'
import type { Prices, TokenUsage } from 'hono-rag-gate/core/reports'
import { mediaTypeOf } from 'hono-rag-gate/http'
import type { GateBindings } from '../bindings.ts'
import { pricesOf } from '../statistics/savings-ledger.ts'
import { replace } from './form.ts'

/** Tokens that a model counted for a request, whatever became of its answer. */
const spent = new WeakMap<Context, TokenUsage>()

/** Notes what a model counted for this request. */
export function noteUsage(c: Context, usage: TokenUsage): void {
  spent.set(c, usage)
}

/**
 * Adds `cost`. An answer from the cache cost no tokens, one that was refused after it was written did. Mount it between the
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
        // No text has these characters: JSON escapes its quotation marks.
        if (!isTold || !event.includes('"finish_reason":"')) return event
        return `data: ${JSON.stringify({ ...chunkOf(event), cost: cost() })}\n\n`
      }),
    )
  }
}

/** The events are this Worker's own, of one line. */
function chunkOf(event: string): { readonly rag_gate?: object } {
  return JSON.parse(event.slice('data: '.length)) as object
}

/** They alone are told figures. */
function isForOperators(about: object = {}): boolean {
  return 'detail' in about
}

/** A price in words, such as `This message: $0.0162`: four decimals, more where two figures need them. */
export function costLine(prices: Prices, retrievals: number, usage?: TokenUsage): string {
  const { currency, inputPerMillionTokens, outputPerMillionTokens, perRetrieval } = prices
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {}
  const tokens = (inputTokens * inputPerMillionTokens + outputTokens * outputPerMillionTokens) / 1e6
  const cost = tokens + retrievals * perRetrieval
  const decimals = cost > 0 ? Math.min(12, Math.max(4, 1 - Math.floor(Math.log10(cost)))) : 4
  const amount = cost.toFixed(decimals)
  return `This message: ${currency === 'USD' ? `$${amount}` : `${amount} ${currency}`}`
}
