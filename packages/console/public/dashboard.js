/** The dashboard: signs in, knows which decisions are meant, and shows one view of them at a time. */
import { ApiError, get, signedIn, signIn, signOut } from './dashboard/api.js'
import { showDecision, showDecisions } from './dashboard/decisions.js'
import { el } from './dashboard/dom.js'
import { showFeedback } from './dashboard/feedback.js'
import { showLive } from './dashboard/live.js'
import { showOverview } from './dashboard/overview.js'
import { showPolicies } from './dashboard/policies.js'
import { showContentGaps, showDocuments } from './dashboard/weak-spots.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const REFRESH_MS = 15_000
const PERIODS = [
  ['24 hours', DAY_MS],
  ['7 days', 7 * DAY_MS],
  ['31 days', 31 * DAY_MS],
  ['12 months', 365 * DAY_MS],
]
const VIEWS = {
  overview: ['Overview', showOverview],
  decisions: ['Decisions', showDecisions],
  live: ['Live', showLive],
  gaps: ['Content gaps', showContentGaps],
  documents: ['Documents', showDocuments],
  feedback: ['Feedback', showFeedback],
  policies: ['Policies', showPolicies],
}

const byId = (id) => document.getElementById(id)
const [view, toolbar, status] = [byId('view'), byId('toolbar'), byId('status')]
const signInForm = byId('sign-in')
let periodMs = DAY_MS
let running
/** Ends what the view that is shown still does. */
let shown = new AbortController()

byId('nav').append(
  ...Object.entries(VIEWS).map(([name, [title]]) => el('a', { href: `#/${name}`, 'data-view': name }, title)),
)
byId('periods').append(
  ...PERIODS.map(([name, ms]) =>
    el(
      'label',
      {},
      el('input', { type: 'radio', name: 'period', checked: ms === periodMs, onchange: () => choosePeriod(ms) }),
      el('span', {}, name),
    ),
  ),
)
for (const select of [byId('collection'), byId('policy')]) {
  select.append(el('option', { value: '' }, 'All'))
  select.addEventListener('change', () => void show('asked'))
}
toolbar.addEventListener('submit', (event) => event.preventDefault())
byId('reload').addEventListener('click', () => void show('asked'))
byId('sign-out').addEventListener('click', leave)
signInForm.addEventListener('submit', (event) => {
  event.preventDefault()
  void enter(byId('key').value.trim())
})
addEventListener('hashchange', () => void show('navigated'))
setInterval(() => {
  const idle = document.visibilityState === 'visible' && byId('refresh').checked && running === undefined
  // A list that somebody reads or opens must not move under their hands.
  if (signedIn() && idle && place().view === 'overview') void show('by itself')
}, REFRESH_MS)

function choosePeriod(ms) {
  periodMs = ms
  void show('asked')
}

async function enter(key) {
  const error = byId('sign-in-error')
  error.hidden = true
  signIn(key)
  try {
    await get('stats')
    byId('key').value = ''
    await show('navigated')
  } catch (thrown) {
    signOut()
    error.textContent = thrown.status === 401 ? 'This token or key does not count.' : thrown.message
    error.hidden = false
    byId('key').select()
  }
}

function leave() {
  signOut()
  running?.abort()
  shown.abort()
  running = undefined
  showSignIn()
}

function showSignIn() {
  for (const part of [byId('nav'), toolbar, byId('sign-out')]) part.hidden = true
  view.replaceChildren(signInForm)
  signInForm.hidden = false
  byId('key').focus()
}

/** Which view the address names, and what it adds: `#/decisions/{id}`, `#/decisions?verdict=refuse`. */
function place() {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [name = '', ...rest] = path.split('/')
  const id = rest.join('/')
  return {
    view: Object.hasOwn(VIEWS, name) ? name : 'overview',
    id: id === '' ? undefined : decoded(id),
    filter: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** What an address spells; as it stands where it spells nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Shows what the address names. A later call takes the place of one that is still under way. */
async function show(why) {
  if (!signedIn()) return showSignIn()
  running?.abort()
  const mine = (running = new AbortController())
  shown.abort()
  shown = new AbortController()
  const where = place()
  for (const part of [byId('nav'), toolbar, byId('sign-out')]) part.hidden = false
  for (const link of byId('nav').children) {
    if (link.dataset.view === where.view) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  // Other views stand still: a list that somebody reads must not move.
  byId('refresh').parentElement.hidden = where.view !== 'overview'
  const [title, showView] = where.id === undefined ? VIEWS[where.view] : ['Decision', showDecision]
  document.title = `${title} · hono-rag-gate`
  if (why !== 'by itself') view.setAttribute('aria-busy', 'true')
  try {
    const parts = await showView(request(where, mine.signal))
    if (running !== mine) return
    const heading = el('h1', { tabIndex: -1 }, title)
    const open = openDetails()
    view.replaceChildren(heading, ...parts)
    for (const details of view.querySelectorAll('details')) details.open = open.has(details.dataset.name)
    byId('updated').textContent = `at ${new Date().toLocaleTimeString()}`
    if (why === 'navigated') heading.focus()
    if (why !== 'by itself') status.textContent = `${title} is shown.`
  } catch (thrown) {
    if (running !== mine || thrown?.name === 'AbortError') return
    showError(title, thrown)
  } finally {
    if (running === mine) {
      running = undefined
      view.removeAttribute('aria-busy')
    }
  }
}

function openDetails() {
  return new Set([...view.querySelectorAll('details[open]')].map(({ dataset }) => dataset.name))
}

/** What a view asks the API for. */
function request({ id, filter }, signal) {
  const toMs = Math.ceil((Date.now() + 1) / HOUR_MS) * HOUR_MS
  return {
    id,
    filter,
    signal,
    left: shown.signal,
    periodMs,
    period: { from: new Date(toMs - periodMs).toISOString(), to: new Date(toMs).toISOString() },
    chosen: { collection: byId('collection').value, policy: byId('policy').value },
    offer,
  }
}

/** Offers the collections and policies that there are decisions of. */
function offer(id, names) {
  const select = byId(id)
  const known = new Set([...select.options].map(({ value }) => value))
  select.append(...names.filter((name) => !known.has(name)).map((name) => el('option', { value: name }, name)))
}

function showError(title, thrown) {
  if (thrown instanceof ApiError && thrown.status === 401) return leave()
  if (!(thrown instanceof ApiError)) console.error(thrown)
  const message = thrown instanceof ApiError ? thrown.message : 'The page could not show this.'
  view.replaceChildren(
    el('h1', {}, title),
    el(
      'div',
      { className: 'card error', role: 'alert' },
      el('strong', {}, 'This could not be read'),
      el('p', {}, message),
      thrown.code &&
        el(
          'p',
          { className: 'quiet' },
          `Code ${thrown.code}${thrown.requestId ? `, request ${thrown.requestId}` : ''}`,
        ),
      el('button', { type: 'button', onclick: () => void show('asked') }, 'Try again'),
    ),
  )
}

void show('opened')
