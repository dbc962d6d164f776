/** Decisions as they arrive. */
import { ApiError, follow, get } from './api.ts'
import { filterOf, filters, listOf, row } from './decisions.ts'
import { type Child, counted, el, empty } from './dom.ts'
import type { Decision } from './answers.ts'
import type { ViewRequest } from './view.ts'

const SHOWN = 100
const BEFORE = 20
const AGAIN_MS = 5_000
/** Half a minute with more than 300 decisions a second. */
const REMEMBERED = 10_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function showLive({ chosen, query, signal, left }: ViewRequest): Promise<readonly Child[]> {
  const asked = { ...chosen, ...filterOf(query) }
  const { decisions } = await get('decisions', { ...asked, limit: BEFORE }, signal)
  const body = el('tbody', {}, decisions.map(row))
  const list = listOf(body, 'Decisions as they arrive, the latest first')
  const nothing = empty('No decision of this kind yet. The next one will stand here.')
  nothing.hidden = decisions.length > 0
  const state = el('p', { className: 'quiet', role: 'status' })
  const button = el('button', { type: 'button' }, 'Pause')
  // Each response begins with the half minute before `since`.
  const seen = new Set(decisions.map(({ id }) => id))
  const oldest = decisions.length < BEFORE ? '' : (decisions.at(-1)?.at ?? '')
  let latest = decisions[0]
  let arrived = 0
  let paused = false
  let following: AbortController | undefined

  function add(decision: Decision): void {
    if (seen.has(decision.id) || decision.at < oldest) return
    seen.add(decision.id)
    if (seen.size > REMEMBERED) {
      const [first = ''] = seen
      seen.delete(first)
    }
    // A decision may arrive after a later one.
    if (latest === undefined || decision.at >= latest.at) latest = decision
    arrived++
    const added = row(decision)
    added.classList.add('new')
    body.prepend(added)
    while (body.children.length > SHOWN) body.lastElementChild?.remove()
    list.hidden = false
    nothing.hidden = true
  }

  function tell(text: string): void {
    if (state.textContent !== text) state.textContent = text
  }

  async function run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const startedMs = Date.now()
      try {
        tell(`Following. ${counted(arrived, 'decision')} arrived.`)
        for await (const decision of follow('decisions/live', { ...asked, since: latest?.id }, stop)) {
          // A line is a decision, as in a list.
          if (decision !== undefined) add(decision as Decision)
          tell(`Following. ${counted(arrived, 'decision')} arrived.`)
        }
        // A proxy may end each response at once.
        await pause(startedMs + AGAIN_MS - Date.now())
      } catch (thrown) {
        if (stop.aborted) return
        if (thrown instanceof ApiError && thrown.status === 401) return location.reload()
        tell(`${thrown instanceof ApiError ? thrown.message : 'The connection was lost.'} Trying again.`)
        await pause(AGAIN_MS)
      }
    }
  }

  /** A tab in the background does not follow, because each poll of the database costs. */
  function update(): void {
    const wanted = !paused && !left.aborted && document.visibilityState === 'visible'
    if (wanted && following === undefined) {
      following = new AbortController()
      void run(AbortSignal.any([following.signal, left]))
    } else if (!wanted) {
      following?.abort()
      following = undefined
      tell(`Paused. ${counted(arrived, 'decision')} arrived.`)
    }
    button.textContent = paused ? 'Go on' : 'Pause'
  }

  button.addEventListener('click', () => {
    paused = !paused
    update()
  })
  document.addEventListener('visibilitychange', update, { signal: left })
  update()
  return [
    filters(query),
    el(
      'section',
      { className: 'card', 'aria-label': 'Live' },
      el('div', { className: 'beside' }, state, button),
      nothing,
      list,
    ),
  ]
}
