/** Steps of a simulation: a list generated from a seed, which is shortened if the run fails. */
import { seededRandom } from '../../bench/seeded-random.ts'
import { COLLECTIONS, type DocumentName, FACTS, TENANTS, WORDINGS } from './truth.ts'

interface Asks {
  readonly kind: 'asks'
  /** Whose key is used. */
  readonly tenant: (typeof TENANTS)[number]
  readonly principal: number
  /** The topic; for one of another tenant, or of nobody, there is no evidence. */
  readonly about: DocumentName
  readonly fact: number
  readonly path: '/ask' | '/stream'
  readonly header?: 'no-cache' | 'no-store' | 'only-if-cached' | 'max-age=5'
  /** What the client does besides waiting. */
  readonly client:
    | 'waits'
    | 'leaves'
    | 'stops reading'
    | 'sends half'
    | 'hangs halfway'
    | 'wrong key'
    | 'no key'
    | 'asks again'
}

/** One action. */
export type Happening =
  | Asks
  | {
      readonly kind: 'writes' | 'removes'
      readonly document: DocumentName & { readonly tenant: (typeof TENANTS)[number] }
    }
  | { readonly kind: 'purges'; readonly tenant: (typeof TENANTS)[number]; readonly collection: string }
  | {
      readonly kind: 'chooses'
      readonly tenant: (typeof TENANTS)[number]
      readonly collection: string
      /** Whether its policy refuses everything. */
      readonly closed: boolean
    }
  | { readonly kind: 'revokes'; readonly tenant: (typeof TENANTS)[number]; readonly principal: number }
  | { readonly kind: 'dies' | 'delivers' }
  | { readonly kind: 'sets clocks'; readonly byMs: number }

/** A step: it begins this much later than the one before. */
export interface Step {
  readonly seed: number
  readonly afterMs: number
  /** Share of its calls that are faulty. */
  readonly faulty: number
  /** Which of the live isolates. */
  readonly isolate: number
  readonly happening: Happening
}

/** How many questions are asked again. */
const RECENT = 6

export const DOCUMENTS_EACH = 4
export const PRINCIPALS_EACH = 3

/** The steps of a seed, with this many questions. */
export function stepsOf(seed: number, questions: number): Step[] {
  const random = seededRandom(seed)
  const below = (bound: number): number => Math.floor(random() * bound)
  const of = <Value>(values: readonly Value[]): Value => values[below(values.length)]!
  const oneIn = (bound: number): boolean => below(bound) === 0
  let last: Asks | undefined
  const recent: Asks[] = []
  const toOpen: Happening[] = []
  let touched: (DocumentName & { readonly tenant: (typeof TENANTS)[number] }) | undefined
  const ask = (asked: Asks): Asks => {
    recent.unshift(asked)
    recent.length = Math.min(recent.length, RECENT)
    return (last = asked)
  }
  const asks = (): Asks => {
    // Popular questions: repeated, often at the same time, by the same or another principal, at times of another tenant.
    if (last !== undefined && oneIn(2)) {
      const again = oneIn(3) ? of(recent) : last
      return ask({
        ...again,
        ...(oneIn(6) && { tenant: of(TENANTS) }),
        ...(oneIn(6) && { fact: (again.fact + FACTS.length) % WORDINGS }),
        principal: below(PRINCIPALS_EACH),
        client: oneIn(6) ? 'leaves' : 'waits',
      })
    }
    const tenant = of(TENANTS)
    const owner = oneIn(4) ? of([...TENANTS, 'nobody' as const]) : tenant
    const any = { tenant: owner, collection: of(COLLECTIONS), at: below(DOCUMENTS_EACH) }
    // Recent changes are asked about more often.
    const about = touched !== undefined && oneIn(4) ? touched : any
    return ask({
      kind: 'asks',
      tenant: about === touched ? touched.tenant : tenant,
      principal: below(PRINCIPALS_EACH),
      about,
      fact: below(WORDINGS),
      path: oneIn(4) ? '/stream' : '/ask',
      ...(oneIn(12) && { header: of(['no-cache', 'no-store', 'only-if-cached', 'max-age=5'] as const) }),
      client: oneIn(6)
        ? of(['leaves', 'stops reading', 'sends half', 'hangs halfway', 'wrong key', 'no key', 'asks again'] as const)
        : 'waits',
    })
  }
  const other = (): Happening => {
    const opening = toOpen.pop()
    if (opening !== undefined) return opening
    // Often a neighbour of what is asked about: the evidence stays, and the version rises.
    const [tenant, collection] =
      last !== undefined && oneIn(2) ? [last.tenant, last.about.collection] : [of(TENANTS), of(COLLECTIONS)]
    const document = { tenant, collection, at: below(DOCUMENTS_EACH) }
    const drawn = below(20)
    if (drawn < 9) touched = document
    if (drawn < 7) return { kind: 'writes', document }
    if (drawn < 9) return { kind: 'removes', document }
    if (drawn < 11) return { kind: 'purges', tenant, collection }
    if (drawn < 12 && oneIn(3)) return { kind: 'revokes', tenant, principal: below(PRINCIPALS_EACH) }
    if (drawn < 15) return { kind: 'dies' }
    if (drawn < 18) return { kind: 'delivers' }
    if (drawn < 19) {
      const chooses = { kind: 'chooses', tenant, collection } as const
      // The first attempt may fail.
      toOpen.push({ ...chooses, closed: false }, { ...chooses, closed: false })
      return { ...chooses, closed: true }
    }
    return { kind: 'sets clocks', byMs: of([-3_600_000, -4000, -900, 900, 7000, 3_600_000]) }
  }
  const steps: Step[] = []
  // Periods with few and with many faults.
  let faulty = 0.1
  for (let asked = 0; asked < questions;) {
    if (oneIn(40)) faulty = of([0, 0.03, 0.1, 0.3])
    const happening = oneIn(9) ? other() : asks()
    if (happening.kind === 'asks') asked++
    const afterMs = oneIn(60) ? 40_000 + below(100_000) : oneIn(4) ? below(8000) : below(60)
    steps.push({ seed: below(2 ** 31), afterMs, faulty, isolate: below(8), happening })
  }
  return steps
}
