/** The overview: the gate's health, the results of the questions, and the savings. */
import { CACHED } from '../../src/d1/statistics/wanted.ts'
import { ALL_TENANTS, before, changed, linkTo, type Period, toDecisions } from './address.ts'
import type { AlertRow, JobState, Named, Point, Policies, Stats } from './answers.ts'
import { get } from './api.ts'
import { bars, histogram, legend, type SeriesPoint, type Thresholds, timeSeries, VERDICTS } from './charts.ts'
import {
  card,
  type Child,
  counted,
  duration,
  el,
  empty,
  figure,
  figures,
  moment,
  money,
  NOTHING,
  number,
  percent,
  policyName,
  scrolling,
  table,
  words,
} from './dom.ts'
import { saveButton } from './save-button.ts'
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

/** The health in one line; otherwise the problems, and where to look. */
function health(stats: Stats, open: readonly AlertRow[], jobs: readonly JobState[], tenant: string): HTMLElement {
  const lost = lostOf(stats)
  const problems: Child[] = [
    ...open.map((alert) => [
      el('strong', {}, alert.message),
      tenant === ALL_TENANTS && el('a', { href: changed({ tenant: alert.tenant }) }, alert.tenant),
      el('span', {}, `${measured(alert)}, since `, moment(alert.opened)),
    ]),
    ...(lost > 0
      ? [[el('strong', {}, `${counted(lost, 'decision')} lost`), el('span', {}, 'See Recording below.')]]
      : []),
    ...stuckJobs(jobs),
    ...(stats.complete
      ? []
      : [
          [
            el('strong', {}, 'More decisions are stored than counted'),
            el('span', {}, 'Refresh to count more of them.'),
          ],
        ]),
  ]
  if (problems.length === 0) {
    const asked = stats.decisions === 0 ? 'No question was asked.' : `${counted(stats.decisions, 'question')} judged.`
    return el('p', { className: 'health pass' }, el('strong', {}, 'All is well. '), `No alert is open. ${asked}`)
  }
  return el(
    'ul',
    { className: 'health', 'aria-label': 'What needs attention' },
    problems.map((problem) => el('li', { className: 'alert advise' }, problem)),
  )
}

/** Jobs that are not running; without the alerts job no alert can be open. */
function stuckJobs(jobs: readonly JobState[]): readonly Child[] {
  if (!jobs.some(({ name }) => name === 'alerts'))
    return [[el('strong', {}, 'Nobody looks for alerts yet'), el('span', {}, 'The cron trigger has not fired.')]]
  const behind = jobs.filter(({ behind_seconds: seconds }) => seconds > 0)
  if (behind.length === 0) return []
  const told = behind.map(({ name, behind_seconds: seconds }) => `${name} by ${Math.ceil(seconds / 60)} min`)
  return [[el('strong', {}, 'Jobs are behind'), el('span', {}, `${told.join(', ')}.`)]]
}

function lostOf({ recording: counts }: Stats): number {
  return counts === undefined ? 0 : counts.missing + counts.dropped + counts.rejected
}

/** The value of an alert next to its bound: a share, a stability index, or a number of collections. */
function measured({ kind, value, bound }: AlertRow): string {
  if (kind === 'calibration_outdated') return counted(value, 'collection')
  if (kind === 'decisions_lost') return counted(value, 'decision')
  if (kind === 'latency_high') return `${duration(value)}, at most ${duration(bound)} expected`
  const shown = kind.endsWith('_drift') ? figure : (share: number): string => percent(share, 1)
  // Shown as the share of questions with sufficient evidence, like its bound.
  if (kind === 'insufficiency_high')
    return `Enough for ${shown(value)} of questions, expected for at least ${shown(bound)}`
  return `${shown(value)}, ${kind === 'refusals_low' ? 'at least' : 'at most'} ${shown(bound)} expected`
}

const LISTED_ALERTS = 10

/** Past alerts. */
function pastAlerts(alerts: readonly AlertRow[]): Child {
  if (alerts.length === 0) return undefined
  const part = card(
    'Alerts',
    scrolling(
      'Alerts',
      table(
        'Alerts',
        ['Opened', 'What', ...figures('Figure'), 'Closed'],
        alerts
          .slice(0, LISTED_ALERTS)
          .map((alert) => [
            moment(alert.opened),
            alert.message,
            measured(alert),
            alert.closed === null ? 'Still open' : moment(alert.closed),
          ]),
      ),
    ),
  )
  part.classList.add('wide')
  return part
}

/** The main figures, each with a link to its questions and a comparison with the previous period. */
function tiles(stats: Stats, earlier: Stats): HTMLElement {
  const { decisions, by_verdict: verdicts, by_cache: cached, latency: times } = stats
  const spent = spendingOf(stats, stats.prices, meanCost(stats))
  const avoided = avoidedIn(stats)
  const shareThen = (part: number): string => percent(part, earlier.decisions)
  const tile = (name: string, address: string, value: string, note: Child, then = '', kind = ''): HTMLElement => {
    // A link is also read without the name above it.
    const named = { 'aria-label': `${name}: ${value}` }
    return el(
      'div',
      { className: `tile ${kind}` },
      el('dt', {}, name),
      el(
        'dd',
        {},
        address.startsWith('#/')
          ? el('a', { ...named, href: address }, el('strong', {}, value))
          : el('a', { ...named, href: changed({}), onclick: leadTo(address) }, el('strong', {}, value)),
        el('span', {}, note),
        earlier.decisions > 0 && then !== '' && then !== NOTHING && el('small', {}, `${then} before`),
      ),
    )
  }
  const list = (changes: Readonly<Record<string, string>> = {}): string => linkTo('decisions', changes)
  return el(
    'dl',
    { className: 'tiles' },
    tile(
      'Decisions',
      list(),
      number(decisions),
      toDecisions(verdicts.pass, { verdict: 'pass' }, `${percent(verdicts.pass, decisions)} pass`),
      number(earlier.decisions),
    ),
    tile(
      'Refused',
      list({ verdict: 'refuse' }),
      percent(verdicts.refuse, decisions),
      `${counted(verdicts.refuse, 'question')}${stats.by_mode.observe > 0 ? ', those only observed too' : ''}`,
      shareThen(earlier.by_verdict.refuse),
      'refuse',
    ),
    tile(
      'With a caution',
      list({ verdict: 'advise' }),
      percent(verdicts.advise, decisions),
      counted(verdicts.advise, 'answer'),
      shareThen(earlier.by_verdict.advise),
      'advise',
    ),
    tile(
      'Failed',
      list({ outcome: 'failed' }),
      percent(stats.failed, decisions),
      `${counted(stats.failed, 'question')} judged, then an error`,
      percent(earlier.failed, earlier.decisions),
      stats.failed > 0 ? 'refuse' : '',
    ),
    tile(
      'From the cache',
      list({ cache: 'cached' }),
      percent(fromCache(cached), decisions),
      counted(fromCache(cached), 'answer'),
      shareThen(fromCache(earlier.by_cache)),
    ),
    tile(
      'Calls avoided',
      'title-saved',
      number(avoided),
      `${percent(avoided, decisions)} of all questions`,
      number(avoidedIn(earlier)),
      'pass',
    ),
    spent !== null &&
      tile(
        'Saved',
        'title-saved',
        money(spent.net, stats.currency),
        `beside ${money(spent.spent, stats.currency)} spent`,
        money(spendingOf(earlier, stats.prices, meanCost(earlier))?.net, stats.currency),
        spent.net < 0 ? 'refuse' : 'pass',
      ),
    tile(
      'Response time',
      'title-response-time',
      duration(times.all.p50),
      `95 % within ${duration(times.all.p95)}`,
      duration(earlier.latency.all.p50),
    ),
    tile(
      'Mean confidence',
      'title-confidence',
      figure(stats.mean_confidence),
      'from 0 to 1',
      figure(earlier.mean_confidence),
    ),
  )
}

/** Leads to a heading of this view, without changing the URL. */
function leadTo(id: string): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    const heading = document.getElementById(id)!
    heading.tabIndex = -1
    heading.focus()
  }
}

const avoidedIn = ({ savings: saved }: Stats): number => saved.calls_avoided_by_refusal + saved.calls_avoided_by_cache

/** Answers from the cache, found by either key. */
function fromCache(by: Stats['by_cache']): number {
  return CACHED.reduce((sum, state) => sum + by[state], 0)
}

function overTime(stats: Stats, asked: Record<string, string | number | undefined>, period: Period): HTMLElement {
  const points = filled(stats)
  const mean = meanCost(stats)
  const each = `Each bar is ${stats.interval === 'hour' ? 'an hour' : 'a day'}; all times are UTC.`
  const during = ({ start }: { readonly start: string }): Record<string, string> =>
    hoursOf(start, stats.interval, period)
  const linkOf = (point: { readonly start: string }): string => linkTo('decisions', during(point))
  const part = card(
    'Over time',
    el('div', { className: 'beside' }, legend(), el('span', { className: 'quiet' }, each)),
    timeSeries({
      points,
      interval: stats.interval,
      label: `Decisions by ${stats.interval}: ${stats.decisions} in all, ${stats.by_verdict.refuse} refused. The table below has every figure.`,
      linkOf,
    }),
    details(
      'series',
      'As a table',
      scrolling(
        'Decisions over time',
        table(
          'Decisions over time',
          [
            'From',
            ...figures(
              'Decisions',
              'Pass',
              'Advise',
              'Refuse',
              'From cache',
              'Avoided',
              'Saved',
              'Confidence',
              'Mean time',
            ),
          ],
          stats.series.map((point) => [
            el(
              'a',
              { href: linkOf(point) },
              point.start.slice(0, stats.interval === 'day' ? 10 : 16).replace('T', ' '),
            ),
            number(point.decisions),
            ...VERDICTS.map((verdict) => toDecisions(point.by_verdict[verdict], { ...during(point), verdict })),
            toDecisions(fromCache(point.by_cache), { ...during(point), cache: 'cached' }),
            number(point.savings.calls_avoided_by_refusal + point.savings.calls_avoided_by_cache),
            money(spendingOf(point, stats.prices, mean)?.net, stats.currency),
            figure(point.mean_confidence),
            duration(point.mean_total_ms),
          ]),
        ),
      ),
      saveButton('stats', asked, 'decisions-over-time.csv'),
    ),
  )
  part.classList.add('wide')
  return part
}

const spanOf = (interval: Stats['interval']): number => (interval === 'hour' ? 3_600_000 : 86_400_000)

/** The decisions of one hour or day, restricted to the period. */
function hoursOf(start: string, interval: Stats['interval'], { from, to }: Period): Record<string, string> {
  const end = new Date(Date.parse(start) + spanOf(interval)).toISOString()
  return { period: '', from: start > from ? start : from, to: end < to ? end : to }
}

/** All hours or days of the period, including those without decisions. */
function filled({ series, from, to, interval }: Stats): SeriesPoint[] {
  const spanMs = spanOf(interval)
  const known = new Map<number, Point>(series.map((point) => [Date.parse(point.start), point]))
  const [first, end] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((end - first) / spanMs) }, (_, at) => {
    const startMs = first + at * spanMs
    const none = { start: new Date(startMs).toISOString(), decisions: 0, by_verdict: { pass: 0, advise: 0, refuse: 0 } }
    return known.get(startMs) ?? none
  })
}

/** The histogram, with a movable threshold that shows what it would have refused. */
function confidence(
  { confidence_histogram: bins, by_policy: used }: Stats,
  policies: Policies['policies'],
): HTMLElement {
  const total = bins.reduce((sum, { pass, advise, refuse }) => sum + pass + advise + refuse, 0)
  const policy = policies.find(({ id }) => id === used[0]?.name)?.policy
  const { refuseBelow, adviseBelow } = policy?.gates?.find(({ gate }) => gate === 'confidence-range') ?? {}
  const lines = (tried?: number): Thresholds => ({ refuse: refuseBelow, advise: adviseBelow, tried })
  const chart = histogram({
    bins,
    thresholds: lines(),
    label: `Decisions by confidence. ${bins
      .map(({ pass, advise, refuse }, at) => ({ count: pass + advise + refuse, at }))
      .filter(({ count }) => count > 0)
      .map(({ count, at }) => `From ${(at / 20).toFixed(2)}: ${count}`)
      .join(', ')}.`,
    linkOf: (at) => linkTo('decisions', rangeOf(at)),
  })
  const start = Math.round((refuseBelow ?? 0.5) * 20)
  const outcome = el('output', { id: 'counterfactual', htmlFor: 'try' })
  const refusedNow = bins.reduce((sum, { refuse }) => sum + refuse, 0)
  // Refusals at or above the policy's own threshold have another reason, and remain.
  const refusedUnder = (threshold: number): number =>
    bins.reduce((sum, { pass, advise, refuse }, at) => {
      if (at / 20 < threshold) return sum + pass + advise + refuse
      return at / 20 < (refuseBelow ?? 0) ? sum : sum + refuse
    }, 0)
  const tell = (step: number): void => {
    const refused = refusedUnder(step / 20)
    slider.ariaValueText = (step / 20).toFixed(2)
    // Below it the bars include refusals for all reasons; those for others would remain.
    const isLeast = refuseBelow !== undefined && step / 20 < refuseBelow
    outcome.textContent = `Refusing below ${(step / 20).toFixed(2)} would refuse ${isLeast ? 'at least ' : ''}${percent(refused, total)} (${number(refused)}) instead of ${percent(refusedNow, total)} (${number(refusedNow)}).${isLeast ? ' Refusals for other reasons than confidence would stay.' : ''}`
  }
  const slider = el('input', {
    id: 'try',
    type: 'range',
    min: 0,
    max: 20,
    step: 1,
    defaultValue: start,
    oninput: () => {
      tell(Number(slider.value))
      chart.move(lines(Number(slider.value) / 20))
    },
  })
  tell(start)
  return card(
    'Confidence',
    el('div', { className: 'beside' }, legend()),
    chart.element,
    el('label', { htmlFor: 'try', className: 'small' }, 'Try another threshold'),
    slider,
    outcome,
    details(
      'confidences',
      'Figures of the bars',
      table(
        'Decisions by confidence',
        ['From', ...figures('Pass', 'Advise', 'Refuse')],
        bins.flatMap((bin, at) => {
          const counts = VERDICTS.map((verdict) => toDecisions(bin[verdict], { ...rangeOf(at), verdict }))
          return VERDICTS.every((verdict) => bin[verdict] === 0) ? [] : [[rangeOf(at).min_confidence, ...counts]]
        }),
      ),
    ),
    used.length > 1 &&
      el(
        'p',
        { className: 'quiet' },
        `${used.length} policies decided: choose one to compare confidences of one kind.`,
      ),
  )
}

/** Range of confidences of a bin. */
function rangeOf(bin: number): { readonly min_confidence: string; readonly max_confidence: string } {
  return { min_confidence: (bin / 20).toFixed(2), max_confidence: ((bin + 1) / 20).toFixed(2) }
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

function details(name: string, title: string, ...children: readonly Child[]): HTMLElement {
  return el('details', { 'data-name': name }, el('summary', {}, title), children)
}
