import type { D1Database } from '@cloudflare/workers-types'
import { and, desc, eq, getTableColumns, inArray, isNotNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { auditEvents, collections, policies, pushedPolicies, tenants } from 'hono-rag-gate/d1/schema'
import { type Json, methods, required, requireOptions, type Tenant } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import { rethrowStoreFault } from 'hono-rag-gate/adapters/d1'

export interface D1PoliciesOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  readonly clock: Clock
}

/**
 * A policy pushed by a tenant. Its `id` is `name@` and 16 hexadecimal characters; `version` starts at 1, and increases
 * with each different policy of the same name. Author, time and reason are those of the push that set its pin and
 * evidence, or of a later one with a reason.
 */
export type PushedPolicy = typeof pushedPolicies.$inferSelect

/** A policy that decided, was chosen, or was pushed by the tenant. */
export interface KnownPolicy {
  readonly id: string
  readonly name: string
  readonly body: Json
  /** When it was first recorded, or last pushed, Unix time in milliseconds. */
  readonly firstMs: number
}

/** A choice of a policy, with author, time and reason. */
export interface PolicyChoice {
  readonly tenant: Tenant
  /** `null` for the whole tenant. */
  readonly collection: string | null
  /** A name, or the id of a pushed policy; `null` for the tenant's or the deployment's. */
  readonly policy: string | null
  /** Id of the chosen policy. */
  readonly policyId: string
  readonly atMs: number
  readonly by: string
  /** Empty without a reason. */
  readonly why: string
  /** Whether it reverted the previous choice. */
  readonly rollback: boolean
  /** The policy before; the choice of it may no longer be in the trail. `null` if there was none. */
  readonly before: string | null
}

/** The current choice, and the one before. */
export interface EarlierChoice {
  readonly last: PolicyChoice
  /** `null` if there was none. */
  readonly before: string | null
}

/** Stores policies and choices. */
export interface Policies {
  /**
   * Stores a policy, and returns it. An existing one gets the new pin, evidence, author, time and reason if it is pinned
   * to the same collection; otherwise it is unchanged, as by a push without a reason that changes nothing.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  push(policy: Omit<PushedPolicy, 'version' | 'createdAtMs'>): Promise<PushedPolicy>
  /** @throws `schema_outdated`, `store_unavailable` */
  pushed(tenant: Tenant, id: string): Promise<PushedPolicy | undefined>
  /** The tenant's, newest first, at most a hundred. @throws `schema_outdated`, `store_unavailable` */
  listPushed(tenant: Tenant): Promise<readonly PushedPolicy[]>
  /** Among at most 90 tenants, those with a pinned policy. @throws `schema_outdated`, `store_unavailable` */
  pinnedAmong(tenants: readonly Tenant[]): Promise<ReadonlySet<Tenant>>
  /** Stores a policy of the deployment, unless it is stored already. @throws `schema_outdated`, `store_unavailable` */
  keep(policy: { readonly id: string; readonly name: string }): Promise<void>
  /**
   * The deployment's policies that decided or were chosen, and those that the tenant pushed; latest first, at most two
   * hundred.
   *
   * @throws `schema_outdated`, `store_unavailable`
   */
  known(tenant: Tenant): Promise<readonly KnownPolicy[]>
  /** The policy set for a collection itself, or for the tenant. @throws `schema_outdated`, `store_unavailable` */
  chosen(tenant: Tenant, collection: string | null): Promise<string | null>
  /** Records a choice in the audit trail. @throws `schema_outdated`, `store_unavailable` */
  recordChoice(choice: Omit<PolicyChoice, 'atMs'> & { readonly before: string | null }): Promise<void>
  /** The choices in the audit trail, newest first, at most a hundred. @throws `schema_outdated`, `store_unavailable` */
  choices(tenant: Tenant): Promise<readonly PolicyChoice[]>
  /**
   * The choice to roll back to; ignores choices that were rolled back, and rollbacks themselves.
   *
   * @param collection `null` for the whole tenant
   * @returns `undefined` if there is no choice, or it is not among the last thousand
   * @throws `schema_outdated`, `store_unavailable`
   */
  choiceBefore(tenant: Tenant, collection: string | null): Promise<EarlierChoice | undefined>
}

const CHOSEN = 'POLICY_CHOSEN'
const MOST_LISTED = 100
const MOST_GONE_THROUGH = 1_000
const MOST_KNOWN = 200

/**
 * Policies in D1. Errors of D1 itself become `schema_outdated` or `store_unavailable`.
 *
 * @throws `config_invalid` for an invalid database or clock
 */
export function createD1Policies(options: D1PoliciesOptions): Policies {
  requireOptions(options, { db: required(methods('prepare')), clock: required(methods('nowMs')) })
  const { db, clock } = options
  const queries = drizzle(db)

  async function pushed(tenant: Tenant, id: string): Promise<PushedPolicy | undefined> {
    return queries
      .select()
      .from(pushedPolicies)
      .where(and(eq(pushedPolicies.tenant, tenant), eq(pushedPolicies.id, id)))
      .get()
      .catch(rethrowStoreFault)
  }

  async function listPushed(tenant: Tenant): Promise<readonly PushedPolicy[]> {
    return queries
      .select()
      .from(pushedPolicies)
      .where(eq(pushedPolicies.tenant, tenant))
      .orderBy(desc(pushedPolicies.createdAtMs), desc(pushedPolicies.version))
      .limit(MOST_LISTED)
      .catch(rethrowStoreFault)
  }

  async function latestChoices(
    tenant: Tenant,
    limit: number,
    collection?: string | null,
  ): Promise<readonly PolicyChoice[]> {
    const rows = await queries
      .select({ atMs: auditEvents.atMs, by: auditEvents.by, payload: auditEvents.payload })
      .from(auditEvents)
      .where(
        and(
          eq(auditEvents.tenant, tenant),
          // The type is a literal in the statement, so that the partial index is used.
          sql`${auditEvents.type} = 'POLICY_CHOSEN'`,
          collection === undefined ? undefined : sql`${auditEvents.payload} ->> 'collection' IS ${collection}`,
        ),
      )
      .orderBy(desc(auditEvents.atMs), desc(auditEvents.id))
      .limit(limit)
      .catch(rethrowStoreFault)
    return rows.map(({ atMs, by, payload }) => {
      // Written below.
      const {
        collection: of,
        policy,
        policy_id: policyId,
        why,
        rollback = false,
        before,
      } = payload as unknown as ChoicePayload
      return { tenant, collection: of, policy, policyId, atMs, by: by ?? '', why, rollback, before }
    })
  }

  return {
    pushed,
    listPushed,

    async pinnedAmong(tenants) {
      const rows = await queries
        .selectDistinct({ tenant: pushedPolicies.tenant })
        .from(pushedPolicies)
        .where(and(inArray(pushedPolicies.tenant, [...tenants]), isNotNull(pushedPolicies.pin)))
        .catch(rethrowStoreFault)
      return new Set(rows.map(({ tenant }) => tenant))
    },

    async push(policy) {
      const { tenant, id, name } = policy
      const version = sql`(SELECT coalesce(max(version), 0) + 1 FROM pushed_policies
        WHERE tenant = ${tenant} AND name = ${name})`
      await queries
        .insert(pushedPolicies)
        .values({ ...policy, version, createdAtMs: clock.nowMs() })
        .onConflictDoUpdate({
          target: [pushedPolicies.tenant, pushedPolicies.id],
          set: {
            pin: sql`excluded.pin`,
            evidence: sql`excluded.evidence`,
            createdAtMs: sql`excluded.created_at_ms`,
            createdBy: sql`excluded.created_by`,
            why: sql`excluded.why`,
          },
          setWhere: sql`pushed_policies.pin ->> '$.collection' IS excluded.pin ->> '$.collection' AND
            (excluded.why, pushed_policies.pin, pushed_policies.evidence) IS NOT ('', excluded.pin, excluded.evidence)`,
        })
        .catch(rethrowStoreFault)
      // It was just stored or existed before; pushed policies are never deleted.
      return (await pushed(tenant, id))!
    },

    async keep(policy) {
      await queries
        .insert(policies)
        .values({ id: policy.id, name: policy.name, body: policy, firstMs: clock.nowMs() })
        .onConflictDoNothing()
        .catch(rethrowStoreFault)
    },

    async known(tenant) {
      const [those, own] = await Promise.all([
        queries
          .select(getTableColumns(policies))
          .from(policies)
          .orderBy(desc(policies.firstMs))
          .limit(MOST_KNOWN)
          .catch(rethrowStoreFault),
        listPushed(tenant),
      ])
      const pushedOnes = own.map(({ id, name, settings, createdAtMs }) => ({
        id,
        name,
        body: bodyOf(id, settings),
        firstMs: createdAtMs,
      }))
      return [...those, ...pushedOnes].sort((a, b) => b.firstMs - a.firstMs).slice(0, MOST_KNOWN)
    },

    async chosen(tenant, collection) {
      const ofTenant = queries.select({ policy: tenants.policyId }).from(tenants).where(eq(tenants.id, tenant))
      const ofCollection = queries
        .select({ policy: collections.policyId })
        .from(collections)
        .where(and(eq(collections.tenant, tenant), eq(collections.id, collection ?? '')))
      const [found] = await (collection === null ? ofTenant : ofCollection).catch(rethrowStoreFault)
      return found?.policy ?? null
    },

    async recordChoice({ tenant, collection, policy, policyId, by, why, rollback, before }) {
      const payload = { collection, policy, policy_id: policyId, why, before, ...(rollback && { rollback }) }
      await queries
        .insert(auditEvents)
        .values({ id: crypto.randomUUID(), tenant, atMs: clock.nowMs(), type: CHOSEN, by, payload })
        .catch(rethrowStoreFault)
    },

    choices: (tenant) => latestChoices(tenant, MOST_LISTED),

    async choiceBefore(tenant, collection) {
      const choices = await latestChoices(tenant, MOST_GONE_THROUGH, collection)
      const [last, before] = standing(choices)
      if (last === undefined || (before === undefined && choices.length === MOST_GONE_THROUGH)) return undefined
      return { last, before: before === undefined ? last.before : before.policy }
    },
  }
}

/** Choices that were not rolled back, newest first. Of two rollbacks of one choice, the later changed nothing. */
function standing(choices: readonly PolicyChoice[]): readonly PolicyChoice[] {
  const stack: PolicyChoice[] = []
  for (const choice of [...choices].reverse()) {
    if (!choice.rollback) stack.unshift(choice)
    else if (choice.before === stack[0]?.policy) stack.shift()
  }
  return stack
}

interface ChoicePayload {
  readonly collection: string | null
  readonly policy: string | null
  readonly policy_id: string
  readonly why: string
  readonly rollback?: boolean
  readonly before: string | null
}

/** A pushed policy in the stored form of the deployment's policies. */
export function bodyOf(id: string, settings: Json): Json {
  return { id, ...(settings as Readonly<Record<string, Json>>) }
}
