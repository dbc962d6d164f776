/** Purges stored in Redis, with a cached copy per tenant in the process. */
import { purgeCopies, type PurgeRow } from 'hono-rag-gate/adapters/answer-cache'
import { methods, number, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import { MOST_PURGES, type PurgeScope, purgeScopeText, tenantOfScope } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import type { AnswerPurges, Clock } from 'hono-rag-gate/ports'

/** The part of a client of the npm package `redis` that is used. */
export interface RedisScripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export interface RedisAnswerPurgesOptions {
  /** A connected client of the npm package `redis`, made with `disableOfflineQueue: true`. */
  readonly redis: RedisScripts
  /**
   * Prefix of every key. The braces are a hash tag, which keeps the keys on one cluster node.
   *
   * @default '{rag-gate:purges}:'
   */
  readonly prefix?: string
  /**
   * Maximum age of a cached copy, milliseconds: for this long another process may still send purged answers. 0..60,000;
   * 0 asks Redis for every question.
   *
   * @default 5000
   */
  readonly copyMaxAgeMs?: number
  /** For the age of copies; purges are numbered by the clock of Redis. @default the system's */
  readonly clock?: Clock
}

/** Deadlines, milliseconds: a question must not wait long for a Redis that hangs; a purge may. */
const READ_TIMEOUT_MS = 500
const PURGE_TIMEOUT_MS = 5000

/** Purges in quick succession number themselves ahead of the clock: a lost number may have been ahead by this much. */
const MOST_AHEAD_MS = 1000

/** Lifetime of a set after its latest purge: one day longer than the maximum lifetime of an answer. */
const KEPT_SECONDS = 32 * 86_400

/**
 * Shared Lua functions. Each tenant has a sorted set of scopes with purge numbers as scores, and `''` has the one for
 * all tenants. A hash holds the last number overall and per set, so that an evicted set is noticed: everything that it
 * may have covered then counts as purged.
 *
 * KEYS: the hash, and the sets. ARGV: a list of { tenant, whole, scopes }, one per set, the one for all tenants last;
 * and the highest number that the caller knows. If Redis has none so high, it went back to an older state.
 * Numbers are milliseconds, formatted explicitly because Lua would use an exponent.
 */
const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local parts = cjson.decode(ARGV[1])
local highest = tonumber(ARGV[2])
local function note(list, scope, epoch)
  local known = redis.call('ZSCORE', list, scope)
  if not known or tonumber(known) < tonumber(epoch) then redis.call('ZADD', list, epoch, scope) end
  redis.call('EXPIRE', list, ${KEPT_SECONDS})
end
local function latest(tenant, epoch) redis.call('HSET', KEYS[1], 'of:' .. tenant, epoch) end
local function number(after)
  local epoch = string.format('%.0f', math.max(now, after + 1))
  redis.call('HSET', KEYS[1], 'last', epoch)
  return epoch
end
local function notice_losses(after)
  if tonumber(redis.call('HGET', KEYS[1], 'last') or -1) < highest then
    local everything = parts[#parts]
    local epoch = number(after)
    note(KEYS[#KEYS], everything.whole, epoch)
    latest(everything.tenant, epoch)
  end
  for at, part in ipairs(parts) do
    local epoch = redis.call('HGET', KEYS[1], 'of:' .. part.tenant)
    if epoch and redis.call('EXISTS', KEYS[at + 1]) == 0 then note(KEYS[at + 1], part.whole, epoch) end
  end
end`

/** Losses are noticed first, because a purge would hide them. The number after a loss exceeds all lost ones. */
const PURGE = `${SHARED}
notice_losses(math.max(highest, now + ${MOST_AHEAD_MS}))
local epoch = number(tonumber(redis.call('HGET', KEYS[1], 'last')))
for at, part in ipairs(parts) do
  local list = KEYS[at + 1]
  for _, scope in ipairs(part.scopes) do
    note(list, scope, epoch)
    latest(part.tenant, epoch)
  end
  local over = redis.call('ZCARD', list) - ${MOST_PURGES}
  if over > 0 then
    local folded = redis.call('ZRANGE', list, over - 1, over - 1, 'WITHSCORES')[2]
    redis.call('ZREMRANGEBYRANK', list, 0, over - 1)
    note(list, part.whole, folded)
  end
end
return epoch`

/** ARGV also has the number from which on purges are read. */
const NEWER = `${SHARED}
notice_losses(highest)
local rows = {}
for at in ipairs(parts) do
  local newer = redis.call('ZREVRANGEBYSCORE', KEYS[at + 1], '+inf', '(' .. ARGV[3], 'WITHSCORES', 'LIMIT', 0, ${MOST_PURGES + 1})
  for _, each in ipairs(newer) do rows[#rows + 1] = each end
end
return rows`

/** The scope that covers a whole set. */
const wholeOf = (tenant: string): string =>
  purgeScopeText(tenant === '' ? { kind: 'everything' } : { kind: 'tenant', tenant })

/**
 * Purges stored in Redis or Valkey for all servers that share it. If a set is lost, with the database, by eviction or
 * because Redis went back to an older state, everything that it may have covered counts as purged.
 *
 * @returns purges of bounded size: beyond two thousand of a tenant, the oldest are merged into one of the whole tenant.
 *   While Redis is unavailable, or takes half a second for `known` or five for `purge`, these reject with
 *   `store_unavailable`; a late purge may still take effect.
 * @throws `config_invalid` when an option is out of range
 */
export function createRedisAnswerPurges(options: RedisAnswerPurgesOptions): AnswerPurges {
  requireOptions(options, {
    redis: required(methods('eval')),
    prefix: text,
    copyMaxAgeMs: number(0, 60_000),
    clock: methods('nowMs'),
  })
  const { redis, prefix = '{rag-gate:purges}:', copyMaxAgeMs = 5000, clock = { nowMs: () => Date.now() } } = options

  /** The highest number that Redis has returned. */
  let highest = 0

  async function run(script: string, scopes: readonly PurgeScope[], tenants: readonly string[], known?: number) {
    const parts = [...new Set([...tenants.filter((tenant) => tenant !== ''), ''])].map((tenant) => ({
      tenant,
      whole: wholeOf(tenant),
      scopes: scopes.filter((scope) => tenantOfScope(scope) === tenant).map(purgeScopeText),
    }))
    const keys = [`${prefix}numbers`, ...parts.map(({ tenant }) => `${prefix}of:${tenant}`)]
    const given = [JSON.stringify(parts), String(highest), ...(known === undefined ? [] : [String(known)])]
    const timeoutMs = known === undefined ? PURGE_TIMEOUT_MS : READ_TIMEOUT_MS
    let timer: ReturnType<typeof setTimeout> | null = null
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('It took too long')), timeoutMs)
    })
    try {
      return await Promise.race([redis.eval(script, { keys, arguments: given }), late])
    } catch (cause) {
      throw new RagGateError('store_unavailable', 'Redis failed', { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  const { purged, ...copies } = purgeCopies(copyMaxAgeMs, clock, async (tenant, known) => {
    const rows = rowsIn(await run(NEWER, [], [tenant], known))
    for (const [, epoch] of rows) highest = Math.max(highest, epoch)
    return rows
  })

  return {
    ...copies,
    async purge(scopes) {
      if (scopes.length === 0) return 0
      const epoch = epochIn(await run(PURGE, scopes, scopes.map(tenantOfScope)))
      highest = Math.max(highest, epoch)
      purged(scopes)
      return epoch
    },
  }
}

/** @throws `store_unavailable` if the reply is not a list of scopes and numbers */
function rowsIn(reply: unknown): readonly PurgeRow[] {
  const rows: PurgeRow[] = []
  if (!Array.isArray(reply)) throw new RagGateError('store_unavailable', 'Redis did not return a list')
  for (let at = 0; at < reply.length; at += 2) {
    rows.push([String(reply[at]), epochIn(reply[at + 1])])
  }
  return rows
}

/** @throws `store_unavailable` if the reply is not a whole number */
function epochIn(reply: unknown): number {
  const epoch = Number(reply)
  if (!/^\d+$/.test(String(reply)) || !Number.isSafeInteger(epoch))
    throw new RagGateError('store_unavailable', 'Redis did not return a number')
  return epoch
}
