/** Purges in Redis, with a copy for each tenant in the process. */
import { purgeCopies, type PurgeRow } from 'hono-rag-gate/adapters/answer-cache'
import { methods, number, required, requireOptions, text } from 'hono-rag-gate/core/lib'
import { MOST_PURGES, purgeScopeText, tenantOfScope } from 'hono-rag-gate/core/policy'
import { RagGateError } from 'hono-rag-gate/errors'
import type { AnswerPurges, Clock } from 'hono-rag-gate/ports'

/** What is used of a client of the npm package `redis`. */
export interface RedisScripts {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export interface RedisAnswerPurgesOptions {
  /** A connected client of the npm package `redis`, made with `disableOfflineQueue: true`. */
  readonly redis: RedisScripts
  /**
   * Stands before every key. What is in braces keeps them together in a cluster.
   *
   * @default '{rag-gate:purges}:'
   */
  readonly prefix?: string
  /**
   * How long a copy answers instead of Redis, milliseconds: how long another process may go on sending what was purged.
   * 0..60,000; 0 asks for every question.
   *
   * @default 5000
   */
  readonly copyMaxAgeMs?: number
  /** Says how old a copy is; purges are numbered by the clock of Redis. @default the system's */
  readonly clock?: Clock
}

/** For how long a list is kept after its latest purge: a day longer than any answer. */
const KEPT_SECONDS = 32 * 86_400

/**
 * One sorted set of scopes a tenant, '' for all of them, by number. A hash tells the last number, and the latest of each set: a
 * set that Redis evicted is missed by that, and all that it may have held is purged.
 *
 * KEYS: the hash, and the sets. The numbers are milliseconds, which Lua would write with an exponent.
 */
const SHARED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
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
end`

/** ARGV: a list of { tenant, whole, scopes }, one for each set. */
const PURGE = `${SHARED}
local epoch = number(tonumber(redis.call('HGET', KEYS[1], 'last') or 0))
for at, part in ipairs(cjson.decode(ARGV[1])) do
  local list = KEYS[at + 1]
  for _, scope in ipairs(part.scopes) do note(list, scope, epoch) end
  latest(part.tenant, epoch)
  local over = redis.call('ZCARD', list) - ${MOST_PURGES}
  if over > 0 then
    local folded = redis.call('ZRANGE', list, over - 1, over - 1, 'WITHSCORES')[2]
    redis.call('ZREMRANGEBYRANK', list, 0, over - 1)
    note(list, part.whole, folded)
  end
end
return epoch`

/** ARGV: a list of { tenant, whole }, the one for all tenants last, and the number that is known. */
const NEWER = `${SHARED}
local parts = cjson.decode(ARGV[1])
if not redis.call('HGET', KEYS[1], 'last') then
  local everything = parts[#parts]
  local epoch = number(tonumber(ARGV[2]))
  note(KEYS[#KEYS], everything.whole, epoch)
  latest(everything.tenant, epoch)
end
local rows = {}
for at, part in ipairs(parts) do
  local list = KEYS[at + 1]
  local epoch = redis.call('HGET', KEYS[1], 'of:' .. part.tenant)
  if epoch and redis.call('EXISTS', list) == 0 then note(list, part.whole, epoch) end
  local newer = redis.call('ZREVRANGEBYSCORE', list, '+inf', '(' .. ARGV[2], 'WITHSCORES', 'LIMIT', 0, ${MOST_PURGES + 1})
  for _, each in ipairs(newer) do rows[#rows + 1] = each end
end
return rows`

/** The scope that takes a whole list with it. */
const wholeOf = (tenant: string): string =>
  purgeScopeText(tenant === '' ? { kind: 'everything' } : { kind: 'tenant', tenant })

/**
 * Purges in Redis or Valkey, for the servers that share it. A list that was lost, with the database or by eviction, counts as a
 * purge of all that it may have held.
 *
 * @returns purges that take up constant room: of more than two thousand of a tenant, the oldest become one of the tenant. While
 *   Redis is away, `known` and `purge` reject with `store_unavailable`.
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

  async function run(script: string, parts: readonly { readonly tenant: string }[], known?: number): Promise<unknown> {
    const keys = [`${prefix}numbers`, ...parts.map(({ tenant }) => `${prefix}of:${tenant}`)]
    const given = [JSON.stringify(parts), ...(known === undefined ? [] : [String(known)])]
    try {
      return await redis.eval(script, { keys, arguments: given })
    } catch (cause) {
      throw new RagGateError('store_unavailable', 'Redis failed', { cause })
    }
  }

  const { purged, ...copies } = purgeCopies(copyMaxAgeMs, clock, async (tenant, known) => {
    const parts = [tenant, ''].map((of) => ({ tenant: of, whole: wholeOf(of) }))
    return rowsIn(await run(NEWER, parts, known))
  })

  return {
    ...copies,
    async purge(scopes) {
      if (scopes.length === 0) return 0
      const parts = [...new Set(scopes.map(tenantOfScope))].map((tenant) => ({
        tenant,
        whole: wholeOf(tenant),
        scopes: scopes.filter((scope) => tenantOfScope(scope) === tenant).map(purgeScopeText),
      }))
      const epoch = epochIn(await run(PURGE, parts))
      purged(scopes)
      return epoch
    },
  }
}

/** @throws `store_unavailable` for what is no list of scopes and numbers */
function rowsIn(reply: unknown): readonly PurgeRow[] {
  const rows: PurgeRow[] = []
  if (!Array.isArray(reply)) throw new RagGateError('store_unavailable', 'Redis answered with no list')
  for (let at = 0; at < reply.length; at += 2) {
    rows.push([String(reply[at]), epochIn(reply[at + 1])])
  }
  return rows
}

/** @throws `store_unavailable` for what is no whole number */
function epochIn(reply: unknown): number {
  const epoch = Number(reply)
  if (!/^\d+$/.test(String(reply)) || !Number.isSafeInteger(epoch))
    throw new RagGateError('store_unavailable', 'Redis answered with no number')
  return epoch
}
