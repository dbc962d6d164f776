/** What the documents lack: frequently refused questions, and documents with weak decisions. */
import { changed, DAY_MS, linkTo, toDecisions, wholeDays } from './address.ts'
import type { Document } from './answers.ts'
import { get } from './api.ts'
import { sparkline } from './charts.ts'
import {
  card,
  type Child,
  el,
  empty,
  figure,
  figures,
  moment,
  NOTHING,
  percent,
  scrolling,
  table,
  words,
} from './dom.ts'
import { saveButton } from './save-button.ts'
import type { ViewRequest } from './view.ts'

/** Maximum number of days that the API sums for content gaps. */
const MOST_DAYS = 31

export async function showContentGaps({ period, tenant, chosen, signal }: ViewRequest): Promise<readonly Child[]> {
  const days = wholeDays(period, MOST_DAYS)
  const asked = { ...days, tenant, collection: chosen['collection'] }
  const asOf = (gap: { readonly question_hmac: string; readonly collection: string }): Record<string, string> => ({
    question: gap.question_hmac,
    collection: gap.collection,
    period: '',
    ...days,
  })
  const { content_gaps: gaps } = await get('stats/content-gaps', { ...asked, limit: 50 }, signal)
  const part = card(
    'Refused most often',
    el(
      'p',
      { className: 'quiet' },
      `Questions in the same words count as one, by whole days from ${days.from.slice(0, 10)} on; cautions only on days with a refusal.`,
    ),
    gaps.length === 0
      ? empty('No question was refused in this period, or no key for questions is configured.')
      : scrolling(
          'Content gaps',
          table(
            'Questions refused most often',
            ['Question', ...figures('Refused', 'With a caution'), 'Collection', 'Last reason', 'Last asked'],
            gaps.map((gap) => [
              el(
                'a',
                { href: linkTo('decisions', asOf(gap)) },
                gap.text ?? el('code', { title: gap.question_hmac }, `${gap.question_hmac.slice(0, 12)}…`),
              ),
              toDecisions(gap.refused, { ...asOf(gap), verdict: 'refuse' }),
              toDecisions(gap.advised, { ...asOf(gap), verdict: 'advise' }),
              gap.collection,
              words(gap.last_reason),
              moment(gap.last),
            ]),
          ),
        ),
    gaps.length > 0 &&
      gaps.every(({ text }) => text === null) &&
      el(
        'p',
        { className: 'quiet' },
        'Only an HMAC of each question is kept. To see the words, set ',
        el('code', {}, 'STORE_QUESTIONS_DAYS'),
        ' of the Worker to the days that texts may be kept, or ',
        el('code', {}, 'storeQuestions'),
        ' of the decision store in an app of your own.',
      ),
    gaps.length > 0 && saveButton('stats/content-gaps', asked, 'content-gaps.csv'),
  )
  return [part]
}

/** Link parameters for the decisions with a document as best evidence, in the whole weeks that were counted. */
function ledBy({ document_id: id, collection, weeks }: Document): Record<string, string> {
  const end = new Date(Date.parse(weeks.at(-1)!.week) + 7 * DAY_MS).toISOString()
  return { led_by: id, collection, period: '', from: weeks[0]!.week, to: end }
}

const ORDERS = { confidence: 'The weakest first', decisions: 'The most asked first', change: 'The most fallen first' }

export async function showDocuments({ period, tenant, chosen, query, signal }: ViewRequest): Promise<readonly Child[]> {
  const sort = query['sort'] ?? 'confidence'
  const asked = { ...period, tenant, collection: chosen['collection'], sort }
  const { documents } = await get('stats/documents', { ...asked, limit: 50 }, signal)
  return [
    el(
      'div',
      { className: 'filters' },
      el(
        'label',
        { className: 'pick' },
        el('span', {}, 'Order'),
        ' ',
        el(
          'select',
          {
            name: 'sort',
            onchange: ({ target }: Event) => (location.hash = changed({ sort: (target as HTMLSelectElement).value })),
          },
          Object.entries(ORDERS).map(([value, name]) => el('option', { value, selected: value === sort }, name)),
        ),
      ),
    ),
    card(
      'Documents by confidence',
      el(
        'p',
        { className: 'quiet' },
        'Of the decisions for which a document was the best evidence, by week from Monday on.',
      ),
      documents.length === 0
        ? empty('No document led a decision in this period.')
        : scrolling(
            'Documents',
            table(
              'Documents by confidence',
              [
                'Document',
                ...figures('Confidence'),
                'By week',
                ...figures('Change', 'Decisions', 'Refused'),
                'Collection',
              ],
              documents.map((each) => [
                el(
                  'span',
                  {},
                  el(
                    'a',
                    { href: linkTo('decisions', { document: each.document_id, collection: each.collection }) },
                    each.document_id,
                  ),
                  ' ',
                  each.consistently_weak && el('span', { className: 'badge advise' }, 'Consistently weak'),
                ),
                figure(each.mean_confidence),
                sparkline(
                  each.weeks.map(({ mean_confidence: mean }) => mean),
                  each.weeks
                    .map(({ week, mean_confidence: mean }) => `${week.slice(0, 10)}: ${figure(mean)}`)
                    .join(', '),
                ),
                each.change === null ? NOTHING : `${each.change < 0 ? '−' : '+'}${figure(Math.abs(each.change))}`,
                toDecisions(each.decisions, ledBy(each)),
                toDecisions(each.refused, { ...ledBy(each), verdict: 'refuse' }, percent(each.refused, each.decisions)),
                each.collection,
              ]),
            ),
          ),
      documents.length > 0 && saveButton('stats/documents', asked, 'documents.csv'),
    ),
  ]
}
