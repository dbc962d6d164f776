/** The gate's error rates from feedback, and suggestions from them. */
import { linkTo, toDecisions } from './address.ts'
import type { PolicyErrors } from './answers.ts'
import { get } from './api.ts'
import {
  badge,
  card,
  type Child,
  el,
  empty,
  moment,
  NOTHING,
  number,
  percent,
  policyName,
  scrolling,
  table,
  words,
} from './dom.ts'
import { saveButton } from './save-button.ts'
import type { ViewRequest } from './view.ts'

export async function showFeedback({ period, chosen, signal }: ViewRequest): Promise<readonly Child[]> {
  const asked = { ...period, ...chosen }
  const { policies, labels } = await get('feedback', asked, signal)
  return [
    card(
      'How often the gate errs',
      el(
        'p',
        { className: 'quiet' },
        'Estimated from labels, with 95 % intervals. Each kind of decision is weighted by how many there were of it.',
      ),
      policies.length === 0
        ? empty('No decisions in this period.')
        : scrolling(
            'Error rates',
            table(
              'Error rates by policy',
              [
                'Policy',
                'Labels of refusals',
                'Labels of answers',
                'Answerable but refused',
                'Answered wrongly',
                'Suggestion',
              ],
              policies.map((each) => [
                el('a', { href: linkTo('decisions', { policy: each.policy_id }) }, policyName(each.policy_id)),
                toDecisions(
                  each.refusals.decisions,
                  { policy: each.policy_id, verdict: 'refuse' },
                  said(each.refusals),
                ),
                said(each.answers),
                rate(each.false_refusals),
                rate(each.false_acceptances),
                suggestion(each.suggestion),
              ]),
            ),
          ),
    ),
    card(
      'Latest labels',
      labels.length === 0
        ? empty(
            'There are no labels yet. Open a decision to label it, or send POST feedback with the id that came with an answer.',
          )
        : scrolling(
            'Labels',
            table(
              'Latest labels',
              ['When', 'Decision', 'By', 'Says', 'Comment'],
              labels.map(({ at, event_id: id, verdict, source, rating, comment }) => [
                el('a', { href: linkTo('decisions', {}, id) }, moment(at)),
                verdict === null ? NOTHING : badge(verdict),
                words(source),
                words(rating),
                comment,
              ]),
            ),
          ),
      labels.length > 0 && saveButton('feedback', asked, 'labels.csv'),
    ),
  ]
}

function said({ decisions, right, wrong }: PolicyErrors['refusals']): string {
  return `${number(right)} right, ${number(wrong)} wrong, of ${number(decisions)}`
}

function rate({ rate: value, low, high }: PolicyErrors['false_refusals']): string {
  if (value === null) return 'Unknown without labels'
  return `${percent(value, 1)} (${percent(low, 1)} to ${percent(high, 1)})`
}

function suggestion(said: PolicyErrors['suggestion']): string {
  if (said === null) return NOTHING
  const change = said.from === undefined ? '' : ` ${said.gate} from ${said.from} to ${said.to}`
  return `${words(said.action)}${change}: ${said.because.toLowerCase()}`
}
