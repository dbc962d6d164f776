/** The dashboard: signs in, reads the selection from the URL, and shows one view at a time. */
import { ALL_TENANTS, changed, linkTo, periodName, PERIODS, periodOf, place } from './dashboard/address.ts'
import { ApiError, get, isAbort, signedIn, signIn, signOut } from './dashboard/api.ts'
import { showDecision, showDecisions } from './dashboard/decisions.ts'
import { card, type Child, el, empty } from './dashboard/dom.ts'
import { showFeedback } from './dashboard/feedback.ts'
import { showLive } from './dashboard/live.ts'
import { showOverview } from './dashboard/overview.ts'
import { showPolicies } from './dashboard/policies.ts'
import { redraw } from './dashboard/redraw.ts'
import type { Named, Stats } from './dashboard/answers.ts'
import type { View, ViewRequest } from './dashboard/view.ts'
import { showContentGaps, showDocuments } from './dashboard/weak-spots.ts'

const REFRESH_MS = 15_000
const MONTH_MS = 31 * 86_400_000
/** A view; `isOfAnyPolicy` if it ignores the chosen policy. */
type Titled = readonly [title: string, show: View, isOfAnyPolicy?: true]

const VIEWS: Readonly<Record<string, Titled>> = {
  overview: ['Overview', showOverview],
  decisions: ['Decisions', showDecisions],
  live: ['Live', showLive],
  gaps: ['Content gaps', showContentGaps, true],
  documents: ['Documents', showDocuments, true],
  feedback: ['Feedback', showFeedback],
  policies: ['Policies', showPolicies, true],
}

/** The signed-in user: tenants that an operator can choose; `undefined` for a key of one tenant. */
interface Reader {
  readonly tenants: readonly string[] | undefined
}

/** An element of the page, which exists in dashboard.html. */
const byId = (id: string): HTMLElement => document.getElementById(id)!
const select = (id: 'tenant' | 'collection' | 'policy'): HTMLSelectElement => byId(id) as HTMLSelectElement
const [view, toolbar, status, nav] = [byId('view'), byId('toolbar'), byId('status'), byId('nav')]
const signInForm = byId('sign-in')
const signInError = byId('sign-in-error')
const signInButton = signInForm.querySelector('button')!
const keyInput = byId('key') as HTMLInputElement
const refresh = byId('refresh') as HTMLInputElement
let reader: Reader | undefined
let running: AbortController | undefined
/** Aborts background work of the current view. */
let shown = new AbortController()
/** Statistics of the last month by tenant, for the names in the toolbar. */
let months = new Map<string, Stats>()
/** The view in the page, with the id of its decision. */
let drawn = ''

nav.append(...Object.entries(VIEWS).map(([each, [title]]) => el('a', { 'data-view': each }, title)))
const range = el('small', { id: 'range' })
byId('periods').append(
  ...Object.entries(PERIODS).map(([value, { name }]) =>
    el(
      'label',
      {},
      el('input', { type: 'radio', name: 'period', value, onchange: () => go({ period: value, from: '', to: '' }) }),
      el('span', {}, name),
    ),
  ),
  range,
)
for (const name of ['tenant', 'collection', 'policy'] as const) {
  // Collections and policies depend on the tenant.
  const others = name === 'tenant' ? { collection: '', policy: '' } : {}
  select(name).addEventListener('change', () => go({ ...others, [name]: select(name).value }))
}
toolbar.addEventListener('submit', (event) => event.preventDefault())
document.querySelector('.skip-link')!.addEventListener('click', (event) => {
  // The address has the view.
  event.preventDefault()
  view.focus()
})
byId('reload').addEventListener('click', () => void show('asked'))
byId('sign-out').addEventListener('click', leave)
signInForm.addEventListener('submit', (event) => {
  event.preventDefault()
  void enter(keyInput.value.trim())
})
addEventListener('hashchange', () => void show('navigated'))
setInterval(() => {
  const idle = document.visibilityState === 'visible' && refresh.checked && running === undefined
  // A list must not move while it is read.
  if (signedIn() && idle && viewOf(place().view) === 'overview') void show('by itself')
}, REFRESH_MS)

/** Changes the URL, and thereby the view. */
function go(changes: Readonly<Record<string, string>>): void {
  location.hash = changed(changes)
}

const viewOf = (name: string): string => (Object.hasOwn(VIEWS, name) ? name : 'overview')

/** What a header can contain. */
const SENDABLE = /^[ -~\xa0-\xff]+$/

async function enter(key: string): Promise<void> {
  signInError.hidden = true
  if (!SENDABLE.test(key)) return showSignInError('This token or key is not known.')
  signIn(key)
  // One key at a time.
  signInButton.disabled = true
  try {
    reader = await whoReads()
    keyInput.value = ''
    await show('navigated')
  } catch (thrown) {
    signOut()
    showSignInError(isOfKey(thrown) ? 'This token or key is not known.' : reported(thrown).message)
  } finally {
    signInButton.disabled = false
  }
}

/** Whether the API does not accept the key. */
const isOfKey = (thrown: unknown): boolean => thrown instanceof ApiError && thrown.status === 401

function showSignInError(text: string): void {
  signInError.textContent = text
  signInError.hidden = false
  keyInput.focus()
  keyInput.select()
}

/** For an operator, the tenants with decisions within a month. @throws without a key */
async function whoReads(): Promise<Reader> {
  // Only operators get the recording losses.
  const { recording } = await monthOf('')
  if (recording === undefined) return { tenants: undefined }
  return { tenants: namesOf((await monthOf(ALL_TENANTS)).by_tenant) }
}

const namesOf = (totals: readonly Named[]): readonly string[] => totals.map(({ name }) => name)

async function monthOf(tenant: string): Promise<Stats> {
  const kept = months
  const known = kept.get(tenant)
  if (known !== undefined) return known
  const period = { from: new Date(Date.now() - MONTH_MS).toISOString(), to: new Date().toISOString() }
  const month = await get('stats', { ...period, interval: 'day', tenant })
  kept.set(tenant, month)
  return month
}

function leave(): void {
  signOut()
  running?.abort()
  shown.abort()
  running = undefined
  view.removeAttribute('aria-busy')
  reader = undefined
  months = new Map()
  showSignIn()
}

function showSignIn(): void {
  for (const part of [nav, toolbar, byId('sign-out')]) part.hidden = true
  document.title = 'Sign in · hono-rag-gate'
  signInError.hidden = true
  drawn = ''
  view.replaceChildren(signInForm)
  signInForm.hidden = false
  keyInput.focus()
}

type Why = 'opened' | 'navigated' | 'asked' | 'by itself'

/** Shows the view in the URL. A later call aborts an earlier one in progress. */
async function show(why: Why): Promise<void> {
  if (!signedIn()) return showSignIn()
  running?.abort()
  const mine = (running = new AbortController())
  shown.abort()
  shown = new AbortController()
  const { view: named, id, query } = place()
  const name = viewOf(named)
  for (const part of [nav, toolbar, byId('sign-out')]) part.hidden = false
  // Other views are not refreshed, because a list must not move while it is read.
  refresh.parentElement!.hidden = name !== 'overview'
  const [title, showView]: Titled = id === undefined ? VIEWS[name]! : ['Decision', showDecision]
  document.title = `${title} · hono-rag-gate`
  if (why !== 'by itself') {
    view.setAttribute('aria-busy', 'true')
    status.textContent = `${title} is loading.`
  }
  const at = `${name}/${id}`
  const put = (parts: readonly Child[]): void => {
    redraw(view, el('h1', { tabIndex: -1 }, title), parts, why === 'navigated' && at !== drawn)
    drawn = at
  }
  if (why === 'asked') {
    // Tenants, collections and policies may have been added.
    reader = undefined
    months = new Map()
  }
  try {
    const reads = reader ?? (await whoReads())
    if (running !== mine) return
    reader = reads
    const tenant = tenantOf(query, reader)
    showPlace(name, query, reader, tenant)
    const month = await monthOf(tenant)
    if (running !== mine) return
    fill('collection', namesOf(month.by_collection), query['collection'])
    fill('policy', namesOf(month.by_policy), query['policy'])
    const parts =
      tenant === ALL_TENANTS && name !== 'overview'
        ? [chooseTenant(reader.tenants ?? [])]
        : await showView(request(query, id, tenant, mine.signal))
    if (running !== mine) return
    put(parts)
    byId('stale').textContent = ''
    byId('updated').textContent = `at ${new Date().toISOString().slice(11, 16)} UTC`
    if (why !== 'by itself') status.textContent = `${title} is shown.`
  } catch (thrown) {
    if (running !== mine || isAbort(thrown)) return
    status.textContent = ''
    if (isOfKey(thrown)) {
      leave()
      return showSignInError(reported(thrown).message)
    }
    if (why === 'by itself') byId('stale').textContent = `Not refreshed since: ${reported(thrown).message}`
    else put([errorCard(thrown)])
  } finally {
    if (running === mine) {
      running = undefined
      view.removeAttribute('aria-busy')
    }
  }
}

/** The tenant in the URL; without one the key's own, or for an operator the only tenant or all of them. */
function tenantOf({ tenant }: ViewRequest['query'], { tenants }: Reader): string {
  if (tenant !== undefined) return tenant
  if (tenants === undefined) return ''
  return tenants.length === 1 ? tenants[0]! : ALL_TENANTS
}

/** Lists, gaps and labels need a single tenant. */
function chooseTenant(tenants: readonly string[]): HTMLElement {
  return card(
    'Choose a tenant',
    tenants.length === 0
      ? empty('No question was judged within a month.')
      : el('p', { className: 'quiet' }, 'This view is about one tenant at a time.'),
    el(
      'ul',
      { className: 'plain' },
      tenants.map((tenant) => el('li', {}, el('a', { href: changed({ tenant }) }, tenant))),
    ),
  )
}

/** Updates toolbar and navigation from the URL. */
function showPlace(name: string, query: ViewRequest['query'], { tenants }: Reader, tenant: string): void {
  for (const link of nav.querySelectorAll('a')) {
    const each = link.dataset['view']!
    link.href = linkTo(each)
    link.ariaCurrent = each === name ? 'page' : null
  }
  const { from, to } = query
  const isRange = from !== undefined && to !== undefined
  const period = isRange ? undefined : periodName(query)
  range.textContent = isRange ? `${[from, to].map((time) => time.slice(0, 16).replace('T', ' ')).join(' to ')} UTC` : ''
  byId('periods').hidden = name === 'live'
  for (const radio of byId('periods').querySelectorAll('input')) radio.checked = radio.value === period
  fill('tenant', tenants ?? [], tenant === ALL_TENANTS ? '' : tenant)
  select('tenant').parentElement!.hidden = new Set(tenants).add(tenant).size < 2
  select('policy').parentElement!.hidden = VIEWS[name]?.[2] === true
}

/** Offers names in a select of the toolbar, and the chosen one. The same options stay, since their list may be open. */
function fill(id: Parameters<typeof select>[0], names: readonly string[], chosen = ''): void {
  const values = [...new Set(['', ...names, chosen])]
  const options = [...select(id).options].map(({ value }) => value)
  if (values.join('\n') !== options.join('\n')) {
    select(id).replaceChildren(...values.map((value) => el('option', { value }, value === '' ? 'All' : value)))
  }
  select(id).value = chosen
}

function request(
  query: ViewRequest['query'],
  id: string | undefined,
  tenant: string,
  signal: AbortSignal,
): ViewRequest {
  const chosen = { tenant, collection: query['collection'], policy: query['policy'] }
  return { query, id, period: periodOf(query), tenant, chosen, signal, left: shown.signal }
}

/** What is told of an error; one of the page itself goes to the console. */
function reported(thrown: unknown): Pick<ApiError, 'message' | 'requestId'> & { readonly code?: string } {
  if (thrown instanceof ApiError) return thrown
  console.error(thrown)
  return { message: 'The page could not show this.', requestId: undefined }
}

function errorCard(thrown: unknown): HTMLElement {
  const { message, code, requestId } = reported(thrown)
  return el(
    'div',
    { className: 'card error', role: 'alert' },
    el('strong', {}, 'This could not be read'),
    el('p', {}, message),
    code !== undefined &&
      el('p', { className: 'quiet' }, `Code ${code}${requestId === undefined ? '' : `, request ${requestId}`}`),
    code === 'tenant_mismatch'
      ? el('a', { href: changed({ tenant: '' }) }, 'Show the tenant of this key')
      : el('button', { type: 'button', onclick: () => void show('asked') }, 'Try again'),
  )
}

void show('opened')
