/** Replaces what a view shows, and keeps what its reader did there. */
import { type Child, el } from './dom.ts'

/** By what a control is found again: its id, name, address, label or text. */
function known(element: Element): string | null {
  const [id, name, address, label] = ['id', 'name', 'href', 'aria-label'].map((each) => element.getAttribute(each))
  return id ?? name ?? address ?? label ?? element.textContent
}

/**
 * Replaces the content of a view. In the same view as before, opened parts stay open, a moved slider keeps its value, and
 * the focus stays on its control; otherwise the heading gets the focus.
 *
 * @param isOther whether the content is of another view than before
 */
export function redraw(view: HTMLElement, heading: HTMLElement, parts: readonly Child[], isOther: boolean): void {
  const focused = view.contains(document.activeElement) ? document.activeElement : null
  const open = new Set([...view.querySelectorAll<HTMLElement>('details[open]')].map(({ dataset }) => dataset['name']))
  const moved = [...view.querySelectorAll<HTMLInputElement>('input[type=range]')].filter(
    ({ value, defaultValue }) => value !== defaultValue,
  )
  const content = el('div', {}, parts)
  // Before it is shown, so that a screen reader does not announce it.
  if (!isOther) {
    for (const details of content.querySelectorAll('details')) details.open = open.has(details.dataset['name'])
    for (const { id, value } of moved) {
      const slider = content.querySelector<HTMLInputElement>(`#${id}`)
      if (slider === null) continue
      slider.value = value
      slider.dispatchEvent(new Event('input'))
    }
  }
  view.replaceChildren(heading, ...content.childNodes)
  if (isOther) return heading.focus()
  if (focused === null) return
  const again = [...view.querySelectorAll<HTMLElement>(focused.tagName)].find((each) => known(each) === known(focused))
  ;(again ?? heading).focus({ preventScroll: again !== undefined })
}
