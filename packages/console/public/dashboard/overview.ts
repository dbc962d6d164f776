/** The overview: the gate's health, the results of the questions, and the savings. */
import { ALL_TENANTS, before, changed, linkTo, toDecisions } from './address.ts'
import type { Named, Stats } from './answers.ts'
import { get } from './api.ts'
import { bars } from './charts.ts'
import {
  card,
  type Child,
  counted,
  duration,
  el,
  empty,
  figure,
  figures,
  money,
  NOTHING,
  number,
  percent,
  policyName,
  scrolling,
  table,
  words,
} from './dom.ts'
import { confidence } from './overview/confidence.ts'
import { health, lostOf, pastAlerts } from './overview/health.ts'
import { overTime } from './overview/over-time.ts'
import { tiles } from './overview/tiles.ts'
import { meanCost, spendingOf } from './spending.ts'
import type { ViewRequest } from './view.ts'

export async function showOverview({ period, tenant, chosen, signal }: ViewRequest): Promise<readonly Child[]> {
  const asked = { ...period, ...chosen }
  const [stats, earlier, { policies }, { alerts, jobs }] = await Promise.all([
    get('stats', asked, signal),
    get('stats', { ...chosen, ...before(period) }, signal),
    get('policies', { tenant: tenant === ALL_TENANTS ? '' : tenant }, signal),
    get('alerts', { tenant }, signal),
  ])
  const open = alerts.filter(({ closed }) => closed === null)
  if (stats.decisions === 0) {
    return [
      health(stats, open, jobs, tenant),
      card(
        'No decisions',
        empty('No question was judged in this period. Ask one on the start page, or choose a longer period.'),
      ),
    ]
  }
  return [
    health(stats, open, jobs, tenant),
    tiles(stats, earlier),
    el(
      'div',
      { className: 'grid' },
      overTime(stats, asked, period),
      el('div', { className: 'column' }, confidence(stats, policies), latency(stats), byGroup(stats)),
      el('div', { className: 'column' }, reasons(stats), cache(stats), savings(stats), recording(stats), faults(stats)),
      pastAlerts(alerts),
    ),
  ]
}

function reasons({ by_reason: by, decisions }: Stats): HTMLElement {
  const entries = Object.entries(by)
    .sort(([, a], [, b]) => b - a)
    .map(
      ([reason, count]) => [reason, count, el('a', { href: linkTo('decisions', { reason }) }, words(reason))] as const,
    )
  return card(
    'Reasons',
    bars(entries, decisions, (reason) => (reason === 'passed' ? 'pass' : '')),
  )
}

function cache({ by_cache: by, decisions }: Stats): HTMLElement {
  const names: Readonly<Record<string, string>> = {
    hit: 'Answered from the cache',
    'evidence-hit': 'Answered from the cache, by its evidence',
    miss: 'Not in the cache',
    stale: 'Sent past its lifetime',
    bypass: 'Cache passed over',
  }
  const entries = Object.entries(by)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(
      ([state, count]) =>
        [state, count, el('a', { href: linkTo('decisions', { cache: state }) }, names[state] ?? state)] as const,
    )
  return card(
    'Cache',
    bars(entries, decisions, (state) => (state.endsWith('hit') ? 'pass' : '')),
  )
}

function latency({ latency: times, mean_retrieval_ms: retrieval, mean_generation_ms: generation }: Stats): HTMLElement {
  const row = (name: string, { counted, p50, p90, p95, p99 }: Stats['latency']['all']): Child[] => [
    name,
    number(counted),
    ...[p50, p90, p95, p99].map((ms) => duration(ms)),
  ]
  return card(
    'Response time',
    scrolling(
      'Response times',
      table(
        'Response times',
        ['Answers', ...figures('Counted', 'Half within', '90 %', '95 %', '99 %')],
        [row('All', times.all), row('From the cache', times.cached), row('Not cached', times.uncached)],
      ),
    ),
    el(
      'p',
      { className: 'quiet' },
      `On average ${duration(retrieval)} to retrieve, ${duration(generation)} to answer. Percentiles are within 5 % of the exact ones.`,
    ),
  )
}

function savings(stats: Stats): HTMLElement {
  const { savings: saved, currency, model_calls: calls, input_tokens: input, output_tokens: output, escalated } = stats
  const { measured, estimated } = saved
  const mean = meanCost(stats)
  const amounts = spendingOf(stats, stats.prices, mean)
  const tokens = ({ calls: some, input_tokens: read, output_tokens: written }: typeof measured): string =>
    some === 0 ? NOTHING : `${number(read + written)}, of ${counted(some, 'call')}`
  const spending: readonly (readonly Child[])[] =
    amounts === null
      ? []
      : [
          ['Spent on model calls', money(amounts.spent, currency)],
          ['What the calls avoided would have cost', money(amounts.avoided, currency)],
          [`Less the gate itself: ${counted(amounts.retrievals, 'retrieval')}`, money(amounts.guard, currency)],
          ['Saved', el('strong', {}, money(amounts.net, currency))],
        ]
  return card(
    'Saved',
    table(
      'What was not spent',
      ['What', ...figures('How much')],
      [
        ['Refused before a model was asked', toDecisions(saved.calls_avoided_by_refusal, { saved: 'refusal' })],
        ['Spared by the cache', toDecisions(saved.calls_avoided_by_cache, { saved: 'cache' })],
        ['Model calls made', number(calls)],
        ['Tokens used', number(input + output)],
        ['Tokens saved, as the model counted them', tokens(measured)],
        ['Tokens saved, estimated by an average call', tokens(estimated)],
        ['Calls avoided whose tokens are not known', number(saved.unknown_calls)],
        ...spending,
        ['Waiting saved, at the mean of an answer', duration(saved.generation_ms_saved)],
        ['Refusals that ask for a person', number(escalated)],
      ],
    ),
    amounts !== null &&
      el(
        'p',
        { className: 'quiet' },
        `At the prices set today. Calls whose tokens were not counted are taken ${mean === null ? 'at the average that was set' : `at the mean of the calls that were made, ${money(mean, currency)}`}.`,
      ),
  )
}

function byGroup({ by_policy: used, by_collection: collections, by_tenant: tenants }: Stats): HTMLElement {
  const rows = (entries: readonly Named[], name: 'policy' | 'collection' | 'tenant'): Child[][] =>
    entries.map((each) => [
      el('a', { href: changed({ [name]: each.name }) }, name === 'policy' ? policyName(each.name) : each.name),
      toDecisions(each.decisions, { [name]: each.name }),
      toDecisions(
        each.by_verdict.refuse,
        { [name]: each.name, verdict: 'refuse' },
        percent(each.by_verdict.refuse, each.decisions),
      ),
      figure(each.mean_confidence),
    ])
  const columns = figures('Decisions', 'Refused', 'Confidence')
  const part = card(
    'By policy and collection',
    scrolling(
      'By policy and collection',
      table('By policy', ['Policy', ...columns], rows(used, 'policy')),
      table('By collection', ['Collection', ...columns], rows(collections, 'collection')),
      tenants.length > 1 && table('By tenant', ['Tenant', ...columns], rows(tenants, 'tenant')),
    ),
  )
  part.classList.add('same-columns')
  return part
}

function recording(stats: Stats): Child {
  const { recording: counts } = stats
  if (counts === undefined) return undefined
  const lost = lostOf(stats)
  return card(
    'Recording',
    el(
      'p',
      {},
      lost === 0
        ? `Every decision is here: ${number(counts.recorded)} of all tenants, from ${counted(counts.isolates, 'isolate')}.`
        : `Of ${number(counts.recorded + lost)} decisions ${number(counts.recorded)} are here.`,
    ),
    lost > 0 &&
      table(
        'What was lost',
        ['How', ...figures('Decisions')],
        [
          ['Dropped, because the database did not answer', number(counts.dropped)],
          ['Rejected by the database', number(counts.rejected)],
          ['Missing in the numbers: lost or on their way', number(counts.missing)],
        ],
      ),
  )
}

/** Failed and rejected requests, for operators. */
function faults({ faults: counts }: Stats): Child {
  if (counts === undefined || counts.length === 0) return undefined
  return card(
    'Requests that ended with an error',
    table(
      'Requests that ended with an error',
      ['Route', 'Error', ...figures('Status', 'Requests')],
      counts
        .slice(0, 10)
        .map(({ route, status, code, requests }) => [route, words(code), number(status), number(requests)]),
    ),
  )
}
