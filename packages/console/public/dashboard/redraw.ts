/** Replaces what a view shows, and keeps what its reader did there. */
import { type Child, el } from './dom.ts'

/** By what a control is found again: its id, name, address, label or text; one of several with a name by its value, too. */
function known(element: Element): string | null {
  const [id, name, value, address, label] = ['id', 'name', 'value', 'href', 'aria-label'].map((each) =>
    element.getAttribute(each),
  )
  return id ?? (name === null ? (address ?? label ?? element.textContent) : `${name} ${value}`)
}

function findAgain<Kind extends Element>(content: Element, element: Kind): Kind | undefined {
  // Elements with the same tag are of the same kind.
  const alike = [...content.querySelectorAll(element.tagName)] as Element[] as Kind[]
  return alike.find((each) => known(each) === known(element))
}

/**
 * Replaces the content of a view. In the same view as before, opened parts stay open, what was entered or tried stays, and
 * the focus stays on its control; otherwise the heading gets the focus.
 *
 * @param isOther whether the content is of another view than before
 */
export function redraw(view: HTMLElement, heading: HTMLElement, parts: readonly Child[], isOther: boolean): void {
  const focused = view.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null
  const open = new Set([...view.querySelectorAll<HTMLElement>('details[open]')].map(({ dataset }) => dataset['name']))
  const entered = [...view.querySelectorAll('input')].filter(
    (input) => input.value !== input.defaultValue || input.checked !== input.defaultChecked,
  )
  const content = el('div', {}, heading, parts)
  // Before it is shown, so that a screen reader does not announce it.
  if (!isOther) {
    for (const details of content.querySelectorAll('details')) details.open = open.has(details.dataset['name'])
    for (const input of entered) {
      const again = findAgain(content, input)
      if (again === undefined) continue
      again.value = input.value
      again.checked = input.checked
      again.dispatchEvent(new Event('input'))
    }
  }
  view.replaceChildren(...content.childNodes)
  if (isOther) return heading.focus()
  if (focused === null) return
  const again = findAgain(view, focused)
  ;(again ?? heading).focus({ preventScroll: again !== undefined })
}
