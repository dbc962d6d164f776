/** The overview: what became of the questions, in figures and over time. */
import { get } from './api.js'
import { bars, histogram, legend, timeSeries } from './charts.js'
import {
  card,
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
} from './dom.js'
import { saveButton } from './save-button.js'

export async function showOverview({ period, chosen, signal, offer }) {
  const asked = { ...period, ...chosen }
  const [stats, { policies }, { alerts }] = await Promise.all([
    get('stats', asked, signal),
    get('policies', {}, signal),
    get('alerts', {}, signal),
  ])
  offer(
    'collection',
    stats.by_collection.map(({ name }) => name),
  )
  offer(
    'policy',
    stats.by_policy.map(({ name }) => name),
  )
  const open = alerts.filter(({ closed }) => closed === null)
  if (stats.decisions === 0) {
    return [
      ...open.map(banner),
      card(
        'No decisions',
        empty('No question was judged in this period. Ask one on the start page, or choose a longer period.'),
      ),
    ]
  }
  return [
    ...open.map(banner),
    tiles(stats),
    el(
      'div',
      { className: 'grid' },
      overTime(stats, asked),
      el('div', { className: 'column' }, confidence(stats, policies), latency(stats), byPolicy(stats)),
      el('div', { className: 'column' }, reasons(stats), cache(stats), savings(stats), recording(stats)),
      pastAlerts(alerts),
    ),
  ]
}

/** An alert that is open. */
function banner(alert) {
  return el(
    'p',
    { className: 'alert advise' },
    el('strong', {}, alert.message),
    el('span', {}, `${measured(alert)}, since `, moment(alert.opened)),
  )
}

/** The figure of an alert beside its bound: a share, a stability index, or a number of collections. */
function measured({ kind, value, bound }) {
  if (kind === 'calibration_outdated') return counted(value, 'collection')
  const shown = kind.endsWith('_drift') ? figure : (share) => percent(share, 1)
  // The insufficiency rate is told by the share of questions whose evidence sufficed, as its bound is.
  if (kind === 'insufficiency_high')
    return `Enough for ${shown(value)} of questions, expected for at least ${shown(bound)}`
  return `${shown(value)}, ${kind === 'refusals_low' ? 'at least' : 'at most'} ${shown(bound)} expected`
}

const LISTED_ALERTS = 10

/** The alerts that there were. */
function pastAlerts(alerts) {
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

function tiles({
  decisions,
  by_verdict: verdicts,
  by_cache: cached,
  savings: saved,
  currency,
  latency: times,
  mean_confidence: mean,
}) {
  const avoided = saved.calls_avoided_by_refusal + saved.calls_avoided_by_cache
  const tile = (name, value, note, kind = '') =>
    el(
      'div',
      { className: `tile ${kind}` },
      el('dt', {}, name),
      el('dd', {}, el('strong', {}, value), el('span', {}, note)),
    )
  return el(
    'dl',
    { className: 'tiles' },
    tile('Decisions', number(decisions), `${percent(verdicts.pass, decisions)} pass`),
    tile('Refused', percent(verdicts.refuse, decisions), counted(verdicts.refuse, 'question'), 'refuse'),
    tile('With a caution', percent(verdicts.advise, decisions), counted(verdicts.advise, 'answer'), 'advise'),
    tile('From the cache', percent(fromCache(cached), decisions), counted(fromCache(cached), 'answer')),
    tile('Calls avoided', number(avoided), `${percent(avoided, decisions)} of all questions`, 'pass'),
    saved.money && tile('Saved', money(saved.money.net, currency), `by ${counted(saved.money.calls, 'call')}`, 'pass'),
    tile('Response time', duration(times.all.p50), `95 % within ${duration(times.all.p95)}`),
    tile('Mean confidence', figure(mean), 'from 0 to 1'),
  )
}

/** Answers that were sent again, whatever the cache found them by. */
function fromCache(by) {
  return by.hit + by['evidence-hit'] + by.stale
}

function overTime(stats, asked) {
  const points = filled(stats)
  const each = stats.interval === 'hour' ? 'Each bar is an hour.' : 'Each bar is a day of UTC.'
  const part = card(
    'Over time',
    el('div', { className: 'beside' }, legend(), el('span', { className: 'quiet' }, each)),
    timeSeries({
      points,
      interval: stats.interval,
      label: `Decisions by ${stats.interval}: ${stats.decisions} in all, ${stats.by_verdict.refuse} refused. The table below has every figure.`,
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
            point.start.slice(0, stats.interval === 'day' ? 10 : 16).replace('T', ' '),
            number(point.decisions),
            number(point.by_verdict.pass),
            number(point.by_verdict.advise),
            number(point.by_verdict.refuse),
            number(fromCache(point.by_cache)),
            number(point.savings.calls_avoided_by_refusal + point.savings.calls_avoided_by_cache),
            money(point.savings.money?.net, stats.currency),
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

/** Every hour or day of the period, those without decisions too. */
function filled({ series, from, to, interval }) {
  const spanMs = interval === 'hour' ? 3_600_000 : 86_400_000
  const known = new Map(series.map((point) => [Date.parse(point.start), point]))
  const [first, end] = [Date.parse(from), Date.parse(to)]
  return Array.from({ length: Math.round((end - first) / spanMs) }, (_, at) => {
    const startMs = first + at * spanMs
    const none = { start: new Date(startMs).toISOString(), decisions: 0, by_verdict: { pass: 0, advise: 0, refuse: 0 } }
    return known.get(startMs) ?? none
  })
}

/** The histogram, with a threshold that can be moved to see what it would have refused. */
function confidence({ confidence_histogram: bins, by_policy: used }, policies) {
  const total = bins.reduce((sum, { pass, advise, refuse }) => sum + pass + advise + refuse, 0)
  const policy = policies.find(({ id }) => id === used[0]?.name)?.policy
  const { refuseBelow, adviseBelow } = policy?.gates?.find(({ gate }) => gate === 'confidence-range') ?? {}
  const lines = (moved) => [
    ...(refuseBelow === undefined ? [] : [{ at: refuseBelow, name: 'refuse', kind: 'refuse' }]),
    ...(adviseBelow === undefined ? [] : [{ at: adviseBelow, name: 'advise', kind: 'advise' }]),
    ...(moved === undefined ? [] : [{ at: moved, name: 'tried', kind: 'tried' }]),
  ]
  const chart = histogram({
    bins,
    thresholds: lines(),
    label: `Decisions by confidence. ${bins
      .map(({ pass, advise, refuse }, at) => [pass + advise + refuse, at])
      .filter(([count]) => count > 0)
      .map(([count, at]) => `From ${(at / 20).toFixed(2)}: ${count}`)
      .join(', ')}.`,
  })
  const start = Math.round((refuseBelow ?? 0.5) * 20)
  const outcome = el('output', { id: 'counterfactual', htmlFor: 'try' })
  const tell = (step) => {
    const below = bins.slice(0, step).reduce((sum, { pass, advise, refuse }) => sum + pass + advise + refuse, 0)
    const refused = bins.reduce((sum, { refuse }) => sum + refuse, 0)
    outcome.textContent = `Refusing below ${(step / 20).toFixed(2)} would refuse ${percent(below, total)} (${number(below)}) instead of ${percent(refused, total)} (${number(refused)}).`
  }
  tell(start)
  const slider = el('input', {
    id: 'try',
    type: 'range',
    min: 0,
    max: 20,
    step: 1,
    value: start,
    oninput: () => {
      tell(Number(slider.value))
      chart.move(lines(Number(slider.value) / 20))
    },
  })
  return card(
    'Confidence',
    el('div', { className: 'beside' }, legend()),
    chart.element,
    el('label', { htmlFor: 'try', className: 'small' }, 'Try another threshold'),
    slider,
    outcome,
    used.length > 1 &&
      el(
        'p',
        { className: 'quiet' },
        `${used.length} policies decided: choose one to compare confidences of one kind.`,
      ),
  )
}

function reasons({ by_reason: by, decisions }) {
  const entries = Object.entries(by)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => [
      reason,
      count,
      el('a', { href: `#/decisions?reason=${encodeURIComponent(reason)}` }, words(reason)),
    ])
  return card(
    'Reasons',
    bars(entries, decisions, (reason) => (reason === 'passed' ? 'pass' : '')),
  )
}

function cache({ by_cache: by, decisions }) {
  const names = {
    hit: 'Answered from the cache',
    'evidence-hit': 'Answered from the cache, by its evidence',
    miss: 'Not in the cache',
    stale: 'Sent past its lifetime',
    bypass: 'Cache passed over',
  }
  const entries = Object.entries(by)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([state, count]) => [state, count, names[state] ?? state])
  return card(
    'Cache',
    bars(entries, decisions, (state) => (state.endsWith('hit') ? 'pass' : '')),
  )
}

function latency({ latency: times, mean_retrieval_ms: retrieval, mean_generation_ms: generation }) {
  const row = (name, { counted, p50, p90, p95, p99 }) => [
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

function savings({
  savings: saved,
  currency,
  model_calls: calls,
  input_tokens: input,
  output_tokens: output,
  escalated,
}) {
  const { measured, estimated, money: amounts } = saved
  const tokens = ({ calls: some, input_tokens: read, output_tokens: written }) =>
    some === 0 ? NOTHING : `${number(read + written)}, of ${counted(some, 'call')}`
  const spending = amounts && [
    [`What ${number(amounts.calls)} of the calls would have cost`, money(amounts.model_cost, currency)],
    ['Less what their retrievals cost', money(amounts.retrieval_cost, currency)],
    ['Saved', el('strong', {}, money(amounts.net, currency))],
  ]
  return card(
    'Saved',
    table(
      'What was not spent',
      ['What', ...figures('How much')],
      [
        ['Refused before a model was asked', number(saved.calls_avoided_by_refusal)],
        ['Answered from the cache', number(saved.calls_avoided_by_cache)],
        ['Model calls made', number(calls)],
        ['Tokens used', number(input + output)],
        ['Tokens saved, as the model counted them', tokens(measured)],
        ['Tokens saved, estimated by an average call', tokens(estimated)],
        ['Calls avoided whose tokens nobody knows', number(saved.unknown_calls)],
        ...(spending ?? []),
        ['Waiting saved, at the mean of an answer', duration(saved.generation_ms_saved)],
        ['Refusals that ask for a person', number(escalated)],
      ],
    ),
  )
}

function byPolicy({ by_policy: used, by_collection: collections, by_tenant: tenants }) {
  const rows = (entries, shown = (name) => name) =>
    entries.map((each) => [
      shown(each.name),
      number(each.decisions),
      percent(each.by_verdict.refuse, each.decisions),
      figure(each.mean_confidence),
    ])
  const columns = figures('Decisions', 'Refused', 'Confidence')
  const part = card(
    'By policy and collection',
    scrolling(
      'By policy and collection',
      table('By policy', ['Policy', ...columns], rows(used, policyName)),
      table('By collection', ['Collection', ...columns], rows(collections)),
      tenants.length > 1 && table('By tenant', ['Tenant', ...columns], rows(tenants)),
    ),
  )
  part.classList.add('same-columns')
  return part
}

function recording({ recording: counts }) {
  if (counts === undefined) return undefined
  const lost = counts.missing + counts.dropped + counts.rejected
  return card(
    'Recording',
    el(
      'p',
      {},
      lost === 0
        ? `Every decision is here: ${number(counts.recorded)}, from ${number(counts.isolates)} ${counts.isolates === 1 ? 'isolate' : 'isolates'}.`
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

function details(name, title, ...children) {
  return el('details', { 'data-name': name }, el('summary', {}, title), children)
}
