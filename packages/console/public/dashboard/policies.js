/** Policies: what decided, since when, and who chose which, and why. */
import { get } from './api.js'
import { card, el, empty, figure, figures, moment, NOTHING, number, percent, scrolling, table } from './dom.js'

export async function showPolicies({ period, chosen, signal }) {
  const [{ choices, policies, changes }, stats] = await Promise.all([
    get('policies', {}, signal),
    get('stats', { ...period, collection: chosen.collection }, signal),
  ])
  const used = new Map(stats.by_policy.map((each) => [each.name, each]))
  const known = new Set(policies.map(({ id }) => id))
  const rows = [
    ...policies.map(({ id, name, first_seen: since }) => [name, id, since]),
    ...choices.filter(({ id }) => !known.has(id)).map(({ name, id }) => [name, id, undefined]),
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
            const figures = used.get(id)
            return [
              name,
              el('code', {}, id),
              since === undefined ? 'Never used' : moment(since),
              number(figures?.decisions ?? 0),
              figures === undefined ? NOTHING : percent(figures.by_verdict.refuse, figures.decisions),
              figure(figures?.mean_confidence),
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
                policy ?? 'The default',
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
