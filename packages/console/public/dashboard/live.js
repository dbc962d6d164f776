/** Decisions as they arrive. */
import { ApiError, follow, get } from './api.js'
import { filters, listOf, row } from './decisions.js'
import { counted, el, empty } from './dom.js'

const SHOWN = 100
const BEFORE = 20
const AGAIN_MS = 5_000

export async function showLive({ period, chosen, filter, signal, left }) {
  const asked = { ...chosen, verdict: filter.verdict, reason: filter.reason, cache: filter.cache, mode: filter.mode }
  const { decisions } = await get('decisions', { ...period, ...asked, limit: BEFORE }, signal)
  const body = el('tbody', {}, decisions.map(row))
  const list = listOf(body, 'Decisions as they arrive, the latest first')
  const nothing = empty('No decision of this kind yet. The next one will stand here.')
  nothing.hidden = decisions.length > 0
  const state = el('p', { className: 'quiet', role: 'status' })
  const button = el('button', { type: 'button' }, 'Pause')
  let since = decisions[0]?.id
  let arrived = 0
  let paused = false
  let following

  function add(decision) {
    since = decision.id
    arrived++
    const added = row(decision)
    added.classList.add('new')
    body.prepend(added)
    while (body.children.length > SHOWN) body.lastElementChild.remove()
    list.hidden = false
    nothing.hidden = true
  }

  function tell(text) {
    if (state.textContent !== text) state.textContent = text
  }

  async function run(stop) {
    while (!stop.aborted) {
      try {
        tell(`Following. ${counted(arrived, 'decision')} arrived.`)
        for await (const decision of follow('decisions/live', { ...asked, since }, stop)) {
          if (decision !== undefined) add(decision)
          tell(`Following. ${counted(arrived, 'decision')} arrived.`)
        }
      } catch (thrown) {
        if (stop.aborted) return
        if (thrown instanceof ApiError && thrown.status === 401) return location.reload()
        tell(`${thrown instanceof ApiError ? thrown.message : 'The connection was lost.'} Trying again.`)
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      }
    }
  }

  /** Nobody is followed behind a tab that is not looked at: each look into the database costs. */
  function update() {
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
    filters('live', filter),
    el(
      'section',
      { className: 'card', 'aria-label': 'Live' },
      el('div', { className: 'beside' }, state, button),
      nothing,
      list,
    ),
  ]
}
