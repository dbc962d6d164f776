/** Responses of the API by path: the console's own types in wire form. */
import type { OnTheWire } from '../../src/api/wire.ts'
import type { Alert } from '../../src/d1/alerts.ts'
import type { GivenLabel } from '../../src/d1/feedback.ts'
import type { ListedDecision, RecordedDecision } from '../../src/d1/recorded-decisions.ts'
import type { RequestFault } from '../../src/d1/request-faults.ts'
import type { Recording, StatisticsSummary } from '../../src/d1/statistics.ts'
import type { TotalsAt, TotalsOf } from '../../src/d1/statistics/totals.ts'
import type { ContentGap, DocumentTrend } from '../../src/d1/weak-spots.ts'
import type { JobState } from '../../src/jobs/job-states.ts'
import type { Prices, Saving } from 'hono-rag-gate/core/reports'

export type Stats = OnTheWire<StatisticsSummary> & {
  readonly recording?: OnTheWire<Recording>
  readonly faults?: readonly RequestFault[]
  readonly currency: string | null
  readonly prices: OnTheWire<Omit<Prices, 'currency'>> | null
}
export type Point = OnTheWire<TotalsAt>
export type Named = OnTheWire<TotalsOf>
export type { JobState }
export type AlertRow = OnTheWire<Omit<Alert, 'untold'>>
export type Decision = Omit<OnTheWire<ListedDecision>, 'escalate' | 'saved'> & {
  readonly escalate: boolean
  readonly saved: OnTheWire<Saving> | null
}

/** A document, with its weeks. */
export type Document = OnTheWire<DocumentTrend>

/** The settings of a policy that the page draws. */
export interface PolicySettings {
  readonly gates?: readonly { readonly gate: string; readonly refuseBelow?: number; readonly adviseBelow?: number }[]
}

export interface Finding {
  readonly gate: string
  readonly stage: string
  readonly outcome: string
  readonly code: string
  readonly message: string
  readonly actual?: number
  readonly threshold?: number
}

/** All data about one decision. */
export type WholeDecision = Decision &
  Omit<OnTheWire<RecordedDecision>, keyof Decision | 'findings' | 'signals' | 'policy' | 'labels'> & {
    readonly findings: readonly Finding[]
    readonly signals: Readonly<Record<string, unknown>>
    readonly answer_signals: unknown
    readonly policy: unknown
    readonly labels: readonly { source: string; rating: string; comment: string | null; at: string }[]
    readonly rejection: { readonly deficit: number; readonly evidence_analyzed: number } | null
    readonly told: { readonly badge?: { readonly look: string; readonly text: string }; readonly banner?: string }
  }

interface Rate {
  readonly rate: number | null
  readonly low: number
  readonly high: number
}

interface Said {
  readonly decisions: number
  readonly right: number
  readonly wrong: number
}

export interface PolicyErrors {
  readonly policy_id: string
  readonly refusals: Said
  readonly answers: Said
  readonly false_refusals: Rate
  readonly false_acceptances: Rate
  readonly suggestion: {
    readonly action: string
    readonly because: string
    readonly gate?: string
    readonly from?: number
    readonly to?: number
  } | null
}

export interface Policies {
  readonly choices: readonly { readonly name: string; readonly id: string }[]
  readonly policies: readonly {
    readonly id: string
    readonly name: string
    readonly first_seen: string
    readonly policy: PolicySettings
  }[]
  readonly changes: readonly {
    readonly at: string
    readonly by: string
    readonly collection: string | null
    readonly policy: string | null
    readonly why: string
  }[]
}

/** The JSON of each path. */
export interface Answers {
  readonly stats: Stats
  readonly alerts: { readonly alerts: readonly AlertRow[]; readonly jobs: readonly JobState[] }
  readonly policies: Policies
  readonly decisions: { readonly decisions: readonly Decision[]; readonly next_cursor: string | null }
  readonly feedback: { readonly policies: readonly PolicyErrors[]; readonly labels: readonly OnTheWire<GivenLabel>[] }
  readonly 'stats/content-gaps': { readonly content_gaps: readonly OnTheWire<ContentGap>[] }
  readonly 'stats/documents': { readonly documents: readonly Document[] }
}
