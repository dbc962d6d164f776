/** The list of decisions, and the page of one decision. */
import { changed, linkTo } from './address.ts'
import { get, getDecision, send, type Parameters } from './api.ts'
import type { Decision, WholeDecision } from './answers.ts'
import {
  badge,
  card,
  type Child,
  duration,
  el,
  empty,
  facts,
  figure,
  moment,
  money,
  NOTHING,
  table,
  words,
} from './dom.ts'
import { saveButton } from './save-button.ts'
import type { ViewRequest } from './view.ts'

const PAGE = 50
/** Maximum number of pages to request until enough decisions are shown. */
const MOST_PAGES = 5

/** Parameters of the URL that filter the decisions. */
const FILTERS = [
  'verdict',
  'cache',
  'outcome',
  'mode',
  'reason',
  'document',
  'led_by',
  'saved',
  'question',
  'min_confidence',
  'max_confidence',
] as const

/** The URL's filters as API parameters. */
export function filterOf(query: ViewRequest['query']): Parameters {
  return Object.fromEntries(FILTERS.map((name) => [name, query[name]]))
}

export async function showDecisions({ period, chosen, query, signal }: ViewRequest): Promise<readonly Child[]> {
  const asked = { ...period, ...chosen, ...filterOf(query) }
  const body = el('tbody')
  const more = el('button', { type: 'button', className: 'more' }, 'Show more')
  const count = el('p', { className: 'quiet', role: 'status' })
  let cursor: string | undefined

  async function load(signalled?: AbortSignal): Promise<void> {
    const wanted = body.children.length + PAGE
    // A page scans 2,000 decisions of all tenants, so it may have few of a rare kind.
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await get('decisions', { ...asked, limit: wanted - body.children.length, cursor }, signalled)
      body.append(...page.decisions.map(row))
      cursor = page.next_cursor ?? undefined
      if (cursor === undefined || body.children.length >= wanted) break
    }
    more.hidden = cursor === undefined
    const shown = body.children.length
    count.textContent = `${shown} ${shown === 1 ? 'decision' : 'decisions'} shown${cursor === undefined ? '.' : ', and there may be more.'}`
  }

  await load(signal)
  more.addEventListener('click', async () => {
    if (more.ariaDisabled === 'true') return
    more.ariaDisabled = 'true'
    const before = body.children.length
    await load().catch((thrown: Error) => void (count.textContent = thrown.message))
    more.ariaDisabled = null
    body.children[before]?.querySelector('a')?.focus()
  })
  return [
    filters(query),
    el(
      'section',
      { className: 'card', 'aria-label': 'Decisions' },
      body.children.length === 0 && cursor === undefined && empty('No decision of this kind in this period.'),
      listOf(body, 'Decisions, the latest first'),
      el(
        'div',
        { className: 'beside' },
        count,
        more,
        saveButton('decisions', { ...asked, limit: 1000 }, 'decisions.csv'),
      ),
    ),
  ]
}

const COLUMNS = ['When', 'Question', 'Verdict', 'Reason', 'Confidence', 'Collection', 'Policy', 'Cache', 'Time']
const FIGURES = new Set(['Confidence', 'Time'])

/** The table around decision rows; hidden while there are none. */
export function listOf(body: HTMLTableSectionElement, caption: string): HTMLTableElement {
  return el(
    'table',
    { className: 'list', hidden: body.children.length === 0 },
    el('caption', { className: 'unseen' }, caption),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        COLUMNS.map((column) => el('th', { scope: 'col', className: FIGURES.has(column) ? 'figures' : '' }, column)),
      ),
    ),
    body,
  )
}

/** A row of the decision list. */
export function row(decision: Decision): HTMLTableRowElement {
  const cell = (name: string, value: Child): HTMLElement =>
    el('td', { 'data-column': name, className: FIGURES.has(name) ? 'figures' : '' }, value ?? NOTHING)
  return el(
    'tr',
    {},
    el(
      'th',
      { scope: 'row', 'data-column': 'When' },
      el('a', { href: linkTo('decisions', {}, decision.id) }, moment(decision.at)),
    ),
    cell('Question', decision.question_text && el('bdi', {}, decision.question_text)),
    cell('Verdict', badge(decision.verdict)),
    cell('Reason', words(decision.reason)),
    cell('Confidence', figure(decision.confidence, 3)),
    cell('Collection', el('bdi', {}, decision.collection)),
    cell('Policy', el('span', { title: decision.policy_id }, decision.policy_id.split('@')[0])),
    cell('Cache', decision.mode === 'observe' ? `${decision.cache}, observing` : decision.cache),
    cell('Time', duration(decision.total_ms)),
  )
}

const CHOICES = {
  verdict: ['pass', 'advise', 'refuse'],
  cache: ['cached', 'hit', 'evidence-hit', 'miss', 'bypass', 'stale'],
  outcome: ['served', 'failed'],
  mode: ['enforce', 'observe'],
}

/** Filters that are stored in the URL, so that a list can be shared. */
export function filters(query: ViewRequest['query']): HTMLElement {
  const go = (name: string, value: string): void => void (location.hash = changed({ [name]: value }))
  return el(
    'div',
    { className: 'filters', role: 'group', 'aria-label': 'Only decisions with' },
    Object.entries(CHOICES).map(([name, values]) =>
      el(
        'label',
        { className: 'pick' },
        el('span', {}, words(name)),
        ' ',
        el(
          'select',
          { name, onchange: ({ target }: Event) => go(name, (target as HTMLSelectElement).value) },
          ['', ...values].map((value) =>
            el('option', { value, selected: value === (query[name] ?? '') }, value === '' ? 'Any' : words(value)),
          ),
        ),
      ),
    ),
    FILTERS.filter((name) => !(name in CHOICES) && query[name] !== undefined).map((name) =>
      el(
        'button',
        { type: 'button', title: 'Take this away', onclick: () => go(name, '') },
        `${words(name)}: ${name === 'reason' ? words(query[name]!) : [...query[name]!].slice(0, 40).join('')} ✕`,
      ),
    ),
  )
}

export async function showDecision({ id = '', tenant, signal }: ViewRequest): Promise<readonly Child[]> {
  const found = await getDecision(id, { tenant }, signal)
  return [
    el('p', {}, el('a', { href: linkTo('decisions') }, '← All decisions')),
    el(
      'article',
      { className: `decision ${found.verdict}`, 'aria-label': `Decision ${found.id}` },
      el(
        'div',
        { className: 'card' },
        el(
          'p',
          { className: 'verdict' },
          badge(found.verdict),
          el('strong', {}, words(found.reason)),
          found.escalate && el('span', { className: 'badge advise' }, 'Asks for a person'),
        ),
        marks(found.told),
        found.question_text && el('blockquote', {}, found.question_text),
        gauge(found),
        facts([
          ['When', moment(found.at)],
          ['Policy', el('code', {}, found.policy_id)],
          ['Collection', [el('bdi', {}, found.collection), `, version ${found.corpus_version}`]],
          ['Mode', found.mode],
          ['Cache', found.cache],
          ['Status', found.status],
          ['Retrieval', found.retrieval_ms === null ? null : duration(found.retrieval_ms)],
          ['Reranking', found.rerank_ms === null ? null : `${duration(found.rerank_ms)}, ${found.reranker}`],
          ['Answering', found.generation_ms === null ? null : duration(found.generation_ms)],
          ['In all', duration(found.total_ms)],
          ['Model', found.model],
          ['Saved', savedBy(found.saved)],
          ['Tokens', found.input_tokens === null ? null : `${found.input_tokens} in, ${found.output_tokens} out`],
          ['Asked by', found.principal_id],
          ['Route', found.route],
          ['Decision', el('code', {}, found.decision_id)],
          [
            'Question',
            found.question_hmac !== null &&
              el(
                'a',
                { href: linkTo('decisions', { question: found.question_hmac }), title: found.question_hmac },
                'As often as it was asked',
              ),
          ],
          ['Left out', found.cut === null ? null : found.cut.join(', ')],
        ]),
      ),
      el(
        'div',
        { className: 'column' },
        gates(found),
        labels(found, tenant),
        audit(found),
        evidence(found),
        measured(found),
      ),
    ),
  ]
}

/** The badge and the banner of the profile that judged. */
function marks({ badge: mark, banner }: WholeDecision['told']): Child {
  return [
    mark && el('p', { className: 'marks' }, el('span', { className: `mark ${mark.look}` }, mark.text)),
    banner && el('p', { className: 'banner marks' }, banner),
  ]
}

/** The saved model call, in words. */
function savedBy(saved: WholeDecision['saved']): string | null {
  if (saved === null || saved === undefined) return null
  const { by, input_tokens: read, output_tokens: written, estimated, model_cost: cost, retrieval_cost: spent } = saved
  const tokens = read === undefined ? 'its tokens are not known' : `${read} tokens in, ${written} out`
  const amount = cost === undefined ? '' : `, worth ${money(cost - (spent ?? 0))}`
  return `A model call, by ${by === 'refusal' ? 'refusing' : 'the cache'}: ${tokens}${estimated ? ' (an average call)' : ''}${amount}`
}

function gauge({ confidence, band, verdict }: WholeDecision): HTMLElement {
  const bar = el('i', { className: verdict })
  bar.style.width = `${(confidence ?? 0) * 100}%`
  return el(
    'div',
    {},
    el(
      'p',
      { className: 'confidence' },
      el('strong', {}, figure(confidence, 3)),
      ` ${words(band).toLowerCase()} confidence`,
    ),
    el('span', { className: 'bar', 'aria-hidden': 'true' }, bar),
  )
}

function gates({ findings, rejection }: WholeDecision): HTMLElement {
  return card(
    'Gates',
    findings.length === 0
      ? empty('No findings are recorded.')
      : el(
          'ol',
          { className: 'findings' },
          findings.map(({ gate, stage, outcome, code, message, actual, threshold }) =>
            el(
              'li',
              {},
              el(
                'p',
                {},
                badge(outcome),
                ' ',
                el('code', {}, gate),
                el('span', { className: 'quiet' }, ` ${stage}, ${code}`),
              ),
              el('p', {}, message),
              actual !== undefined &&
                threshold !== undefined &&
                el('p', { className: 'quiet' }, `Measured ${figure(actual, 4)}, asked for ${figure(threshold, 4)}`),
            ),
          ),
        ),
    rejection !== null &&
      rejection.deficit > 0 &&
      el('p', {}, `Missed by ${rejection.deficit}, with ${rejection.evidence_analyzed} passages judged.`),
  )
}

/** Labels of the decision, and a form to add one. */
function labels({ id, verdict, labels: given }: WholeDecision, tenant: string): HTMLElement {
  const said = el('p', { className: 'quiet', role: 'status' })
  const comment = el('input', { type: 'text', maxLength: 1000, name: 'comment', autocomplete: 'off' })
  const choice = (value: string, text: string): HTMLElement =>
    el('label', {}, el('input', { type: 'radio', name: 'rating', value, required: true }), text)
  const form = el(
    'form',
    {
      className: 'review',
      'aria-label': 'Your label',
      onsubmit: async (event: Event) => {
        event.preventDefault()
        const rating = form.querySelector<HTMLInputElement>('input[name=rating]:checked')!.value
        const body = { rating, ...(comment.value === '' ? {} : { comment: comment.value }) }
        try {
          await send('PUT', `decisions/${encodeURIComponent(id)}/label`, { tenant }, body)
          said.textContent = `Kept: ${rating}.`
        } catch (thrown) {
          said.textContent = (thrown as Error).message
        }
      },
    },
    el(
      'fieldset',
      {},
      el('legend', { className: 'unseen' }, 'Was it right?'),
      choice('right', verdict === 'refuse' ? 'Rightly refused' : 'Rightly answered'),
      choice('wrong', verdict === 'refuse' ? 'Should have been answered' : 'Should have been refused'),
    ),
    el('label', { className: 'comment' }, 'Comment', comment),
    el('button', {}, 'Keep this label'),
    said,
  )
  return card(
    'Was it right?',
    given.length > 0 &&
      table(
        'Labels',
        ['By', 'Says', 'Comment', 'When'],
        given.map(({ source, rating, comment: text, at }) => [words(source), words(rating), text, moment(at)]),
      ),
    form,
  )
}

function audit({ audit_events: events }: WholeDecision): Child {
  if (events.length === 0) return undefined
  return card(
    'Audit trail',
    table(
      'Audit events',
      ['Event', 'Payload'],
      events.map(({ type, payload }) => [type, el('code', {}, JSON.stringify(payload))]),
    ),
  )
}

function evidence({ document_ids: documents, evidence_ids: chunks, ranked_by: kind }: WholeDecision): HTMLElement {
  return card(
    'Evidence',
    documents.length === 0
      ? empty('No passage was found.')
      : el(
          'ol',
          { className: 'plain' },
          documents.map((id) => el('li', {}, el('a', { href: linkTo('decisions', { document: id }) }, id))),
        ),
    el('p', { className: 'quiet' }, `${chunks.length} passages of ${documents.length} documents, ranked by ${kind}.`),
  )
}

function measured({ signals, answer_signals: answer, policy }: WholeDecision): HTMLElement {
  const shown = Object.entries(signals).filter(([, value]) => typeof value === 'number' || typeof value === 'boolean')
  const block = (name: string, title: string, value: unknown): HTMLElement =>
    el(
      'details',
      { 'data-name': name },
      el('summary', {}, title),
      el('pre', { tabIndex: 0 }, JSON.stringify(value, null, 2)),
    )
  return card(
    'Measured',
    facts(
      shown.map(([name, value]) => [
        words(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)),
        typeof value === 'number' ? String(Math.round(value * 1e4) / 1e4) : String(value),
      ]),
    ),
    block('signals', 'All signals', signals),
    answer !== null && block('answer', 'Signals of the answer', answer),
    policy !== null && block('policy', 'The policy that decided', policy),
  )
}
