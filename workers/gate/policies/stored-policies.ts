/** Pushed policies and choices of policies in D1. */
import { rethrowStoreFault } from '../../../src/adapters/d1/faults.ts'
import type { PolicyPin } from './pins.ts'

/** A policy that was pushed. */
export interface StoredPolicy {
  readonly tenant: string
  /** `name@` and 16 hexadecimal characters. */
  readonly id: string
  readonly name: string
  /** Rises with each other policy of the name, from 1. */
  readonly version: number
  readonly settings: unknown
  readonly pin: PolicyPin | null
  readonly evidence: unknown
  readonly createdAtMs: number
  readonly createdBy: string
  readonly why: string
}

/** A choice: `collection` is empty for the tenant, `policy` null where it is left to others. */
export interface PolicyChoice {
  readonly tenant: string
  readonly collection: string
  readonly policy: string | null
  readonly atMs: number
  readonly by: string
  readonly why: string
}

/** Reads and writes them. Errors of D1 become `schema_outdated` or `store_unavailable`. */
export interface StoredPolicies {
  /**
   * The policy with this id, after it was stored. One that is there already gets this pin and evidence, if it is pinned
   * to the same collection; else it stays as it is.
   */
  push(policy: Omit<StoredPolicy, 'version'>): Promise<StoredPolicy>
  find(tenant: string, id: string): Promise<StoredPolicy | undefined>
  /** Newest first, at most a hundred. */
  list(tenant: string): Promise<readonly StoredPolicy[]>
  noteChoice(choice: PolicyChoice): Promise<void>
  /** Newest first, at most a hundred. */
  choices(tenant: string): Promise<readonly PolicyChoice[]>
}

interface Row {
  readonly tenant: string
  readonly id: string
  readonly name: string
  readonly version: number
  readonly settings: string
  readonly pin: string | null
  readonly evidence: string | null
  readonly created_at_ms: number
  readonly created_by: string
  readonly why: string
}

interface ChoiceRow {
  readonly tenant: string
  readonly collection: string
  readonly policy_id: string | null
  readonly at_ms: number
  readonly chosen_by: string
  readonly why: string
}

/** Over a database with the migrations applied. */
export function storedPolicies(db: D1Database): StoredPolicies {
  const find = async (tenant: string, id: string): Promise<StoredPolicy | undefined> => {
    const row = await db
      .prepare('SELECT * FROM pushed_policies WHERE tenant = ?1 AND id = ?2')
      .bind(tenant, id)
      .first<Row>()
      .catch(rethrowStoreFault)
    return row === null ? undefined : policyOf(row)
  }
  return {
    find,

    async push({ tenant, id, name, settings, pin, evidence, createdAtMs, createdBy, why }) {
      await db
        .prepare(
          `INSERT INTO pushed_policies (tenant, id, name, version, settings, pin, evidence, created_at_ms, created_by, why)
           SELECT ?1, ?2, ?3, coalesce((SELECT max(version) FROM pushed_policies WHERE tenant = ?1 AND name = ?3), 0) + 1,
             ?4, ?5, ?6, ?7, ?8, ?9 WHERE true
           ON CONFLICT (tenant, id) DO UPDATE SET pin = excluded.pin, evidence = excluded.evidence
           WHERE pushed_policies.pin ->> '$.collection' IS excluded.pin ->> '$.collection'`,
        )
        .bind(
          tenant,
          id,
          name,
          JSON.stringify(settings),
          pin === null ? null : JSON.stringify(pin),
          evidence === null || evidence === undefined ? null : JSON.stringify(evidence),
          createdAtMs,
          createdBy,
          why,
        )
        .run()
        .catch(rethrowStoreFault)
      // It was just stored, or was there before; policies are never deleted.
      return (await find(tenant, id))!
    },

    async list(tenant) {
      const { results } = await db
        .prepare('SELECT * FROM pushed_policies WHERE tenant = ?1 ORDER BY created_at_ms DESC, version DESC LIMIT 100')
        .bind(tenant)
        .all<Row>()
        .catch(rethrowStoreFault)
      return results.map(policyOf)
    },

    async noteChoice({ tenant, collection, policy, atMs, by, why }) {
      await db
        .prepare(
          `INSERT INTO policy_choices (tenant, collection, sequence, policy_id, at_ms, chosen_by, why)
           SELECT ?1, ?2, coalesce((SELECT max(sequence) FROM policy_choices WHERE tenant = ?1 AND collection = ?2), 0) + 1,
             ?3, ?4, ?5, ?6`,
        )
        .bind(tenant, collection, policy, atMs, by, why)
        .run()
        .catch(rethrowStoreFault)
    },

    async choices(tenant) {
      const { results } = await db
        .prepare('SELECT * FROM policy_choices WHERE tenant = ?1 ORDER BY at_ms DESC, sequence DESC LIMIT 100')
        .bind(tenant)
        .all<ChoiceRow>()
        .catch(rethrowStoreFault)
      return results.map(({ collection, policy_id: policy, at_ms: atMs, chosen_by: by, why }) => ({
        tenant,
        collection,
        policy,
        atMs,
        by,
        why,
      }))
    },
  }
}

function policyOf(row: Row): StoredPolicy {
  const {
    tenant,
    id,
    name,
    version,
    settings,
    pin,
    evidence,
    created_at_ms: createdAtMs,
    created_by: createdBy,
    why,
  } = row
  return {
    tenant,
    id,
    name,
    version,
    settings: JSON.parse(settings) as unknown,
    // Checked before it was stored.
    pin: pin === null ? null : (JSON.parse(pin) as PolicyPin),
    evidence: evidence === null ? null : (JSON.parse(evidence) as unknown),
    createdAtMs,
    createdBy,
    why,
  }
}
