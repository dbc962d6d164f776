/** Health of the gate: open alerts, lost decisions, jobs that are behind; and past alerts. */
import { ALL_TENANTS, changed } from '../address.ts'
import type { AlertRow, JobState, Stats } from '../answers.ts'
import { card, type Child, counted, duration, el, figure, figures, moment, percent, scrolling, table } from '../dom.ts'

/** The health in one line; otherwise the problems, and where to look. */
export function health(
  stats: Stats,
  open: readonly AlertRow[],
  jobs: readonly JobState[],
  tenant: string,
): HTMLElement {
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

export function lostOf({ recording: counts }: Stats): number {
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
export function pastAlerts(alerts: readonly AlertRow[]): Child {
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
