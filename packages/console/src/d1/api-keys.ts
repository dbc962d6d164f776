import { base32, keepNewest, methods, required, requireOptions } from 'hono-rag-gate/core/lib'
import { sameText } from '../same-text.ts'
import type { D1Database } from '@cloudflare/workers-types'
import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { apiKeys } from 'hono-rag-gate/d1/schema'
import type { ApiKey, ApiKeys } from '../keys/api-keys.ts'
import { tokenHash } from '../keys/token-hash.ts'
import type { Clock } from 'hono-rag-gate/ports'
import { sha256Hex } from 'hono-rag-gate/http'
import { COPY_AGE, withLastKnown, OUTAGE_AGE, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { createKeyIds } from './key-ids.ts'

/** Settings of `createD1ApiKeys`. */
export interface D1ApiKeysOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * Maximum age of a cached key, milliseconds: for this long another isolate may accept a revoked key. 0..60,000; 0
   * reads the database every time.
   *
   * @default 10_000
   */
  readonly copyMaxAgeMs?: number
  /**
   * How old a cached key may be to stand in for a database that does not answer within a second, milliseconds: a
   * revoked key may be accepted for this long. 0..3,600,000.
   *
   * @default 0, which disables it
   */
  readonly outageMaxAgeMs?: number
  /**
   * How long an unknown key id is rejected without another lookup, milliseconds. After twenty lookups of unknown ids
   * within this time, an isolate reads the list of all ids instead, if there are at most 10,000; a key made elsewhere
   * in the meantime is then accepted after this time. 0..60,000; 0 looks up every time.
   *
   * @default 5_000
   */
  readonly unknownMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

/** Maximum number of cached keys; the oldest are evicted. */
const MAX_COPIES = 1000

/** Base32 characters: 80 bits for the id, 256 bits for the secret. */
const ID_LENGTH = 16
const SECRET_LENGTH = 52
const TOKEN = new RegExp(`^rg_([a-z2-7]{${ID_LENGTH}})_([a-z2-7]{${SECRET_LENGTH}})$`)

const { secretHash: _, ...SHOWN } = getTableColumns(apiKeys)

interface Copy {
  readonly key: ApiKey
  readonly secretHash: string
  readonly readAtMs: number
}

/**
 * API keys in D1: `rg_`, 16 characters of id, `_`, 52 characters of secret. Only the SHA-256 of the secret is stored; a
 * slow hash is not needed for 256 random bits.
 *
 * @throws `config_invalid` when an age is out of range
 */
export function createD1ApiKeys(options: D1ApiKeysOptions): ApiKeys {
  requireOptions(options, {
    db: required(methods('prepare')),
    copyMaxAgeMs: COPY_AGE,
    outageMaxAgeMs: OUTAGE_AGE,
    unknownMaxAgeMs: COPY_AGE,
    clock: methods('nowMs'),
  })
  const { db, copyMaxAgeMs = 10_000, outageMaxAgeMs = 0, unknownMaxAgeMs = 5_000 } = options
  const { clock = { nowMs: () => Date.now() } } = options
  const lastKnown = withLastKnown({ maxAgeMs: outageMaxAgeMs, clock })
  const queries = drizzle(db)
  const copies = new Map<string, Copy>()
  const ids = createKeyIds({
    unknownMaxAgeMs,
    clock,
    list: async (limit) =>
      (await queries.select({ id: apiKeys.id }).from(apiKeys).limit(limit).catch(rethrowStoreFault)).map(
        ({ id }) => id,
      ),
  })

  async function read(id: string): Promise<Copy | undefined> {
    const held = copies.get(id)
    const nowMs = clock.nowMs()
    if (held !== undefined && held.readAtMs <= nowMs && nowMs - held.readAtMs < copyMaxAgeMs) return held
    return lastKnown(held && { value: held, readAtMs: held.readAtMs }, () => readAgain(id))
  }

  async function readAgain(id: string): Promise<Copy | undefined> {
    const nowMs = clock.nowMs()
    if (await ids.isUnknown(id)) return undefined
    const row = await queries.select().from(apiKeys).where(eq(apiKeys.id, id)).get().catch(rethrowStoreFault)
    if (row === undefined) {
      copies.delete(id)
      ids.noteUnknown(id)
      return undefined
    }
    const { secretHash, ...key } = row
    const copy = { key, secretHash, readAtMs: nowMs }
    keepNewest(copies, id, copy, MAX_COPIES)
    return copy
  }

  return {
    async principalOf(token) {
      const [, id, secret] = TOKEN.exec(token) ?? []
      if (id === undefined || secret === undefined) return null
      const [copy, asked] = await Promise.all([read(id), tokenHash(secret)])
      if (copy === undefined || !sameText(copy.secretHash, asked)) return null
      const { tenant, scopes, expiresAtMs, revokedAtMs } = copy.key
      if (revokedAtMs !== null || (expiresAtMs !== null && expiresAtMs <= clock.nowMs())) return null
      return { tenant, id: `key:${id}`, scopes }
    },

    async make({ tenant, name, scopes, expiresAtMs }) {
      const id = randomBase32(ID_LENGTH)
      const secret = randomBase32(SECRET_LENGTH)
      const key = { id, tenant, name, scopes, createdAtMs: clock.nowMs(), expiresAtMs, revokedAtMs: null }
      await queries
        .insert(apiKeys)
        .values({ ...key, secretHash: await sha256Hex(secret) })
        .catch(rethrowStoreFault)
      ids.noteMade(id)
      return { ...key, token: `rg_${id}_${secret}` }
    },

    async list(tenant) {
      return queries
        .select(SHOWN)
        .from(apiKeys)
        .where(eq(apiKeys.tenant, tenant))
        .orderBy(asc(apiKeys.createdAtMs), asc(apiKeys.id))
        .catch(rethrowStoreFault)
    },

    async revoke(tenant, id) {
      const revoked = await queries
        .update(apiKeys)
        .set({ revokedAtMs: clock.nowMs() })
        .where(and(eq(apiKeys.tenant, tenant), eq(apiKeys.id, id), isNull(apiKeys.revokedAtMs)))
        .returning({ id: apiKeys.id })
        .catch(rethrowStoreFault)
      // After the write, because a concurrent request could cache the valid key again.
      copies.delete(id)
      return revoked.length > 0
    },
  }
}

function randomBase32(characters: number): string {
  return base32(crypto.getRandomValues(new Uint8Array(Math.ceil((characters * 5) / 8))), characters)
}
