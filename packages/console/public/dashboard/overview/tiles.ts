/** The main figures of a period. */
import { CACHED } from '../../../src/d1/statistics/wanted.ts'
import { changed, linkTo, toDecisions } from '../address.ts'
import type { Stats } from '../answers.ts'
import { type Child, counted, duration, el, figure, money, NOTHING, number, percent } from '../dom.ts'
import { meanCost, spendingOf } from '../spending.ts'

/** The main figures, each with a link to its questions and a comparison with the previous period. */
export function tiles(stats: Stats, earlier: Stats): HTMLElement {
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
export function fromCache(by: Stats['by_cache']): number {
  return CACHED.reduce((sum, state) => sum + by[state], 0)
}
