/** The policies that decided and their first use; choices with author, time and reason. */
import { toDecisions } from './address.ts'
import { get } from './api.ts'
import { card, type Child, el, empty, figure, figures, moment, NOTHING, percent, scrolling, table } from './dom.ts'
import type { ViewRequest } from './view.ts'

export async function showPolicies({ period, tenant, chosen, signal }: ViewRequest): Promise<readonly Child[]> {
  const [{ choices, policies, changes }, stats] = await Promise.all([
    get('policies', { tenant }, signal),
    get('stats', { ...period, ...chosen, policy: undefined }, signal),
  ])
  const used = new Map(stats.by_policy.map((each) => [each.name, each]))
  const known = new Set(policies.map(({ id }) => id))
  const rows = [
    ...policies.map(({ id, name, first_seen: since }) => [name, id, since] as const),
    ...choices.filter(({ id }) => !known.has(id)).map(({ name, id }) => [name, id, undefined] as const),
  ]
  return [
    card(
      'Policies',
      scrolling(
        'Policies',
        table(
          'Policies',
          ['Name', 'Id', 'First seen', ...figures('Decisions', 'Refused', 'Confidence')],
          rows.map(([name, id, since]) => {
            const decided = used.get(id)
            return [
              name,
              el('code', {}, id),
              since === undefined ? 'Never used' : moment(since),
              toDecisions(decided?.decisions ?? 0, { policy: id }),
              decided === undefined
                ? NOTHING
                : toDecisions(
                    decided.by_verdict.refuse,
                    { policy: id, verdict: 'refuse' },
                    percent(decided.by_verdict.refuse, decided.decisions),
                  ),
              figure(decided?.mean_confidence),
            ]
          }),
        ),
      ),
    ),
    card(
      'Chosen',
      changes.length === 0
        ? empty('No policy was chosen yet: everything is judged by the default.')
        : scrolling(
            'Changes',
            table(
              'Who chose which policy',
              ['When', 'Policy', 'For', 'By', 'Why'],
              changes.map(({ at, policy, collection, by, why }) => [
                moment(at),
                policy ?? (collection === null ? 'The default' : 'That of the tenant'),
                collection ?? 'The tenant',
                by,
                why === '' ? NOTHING : why,
              ]),
            ),
          ),
    ),
    ...policies.map(({ id, policy }) =>
      el(
        'details',
        { className: 'card', 'data-name': id },
        el('summary', {}, `Settings of ${id}`),
        el('pre', { tabIndex: 0 }, JSON.stringify(policy, null, 2)),
      ),
    ),
  ]
}
