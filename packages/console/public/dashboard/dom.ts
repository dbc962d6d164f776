/** Builds elements without HTML strings: texts from questions, documents and people become text nodes. */

/** Children of an element: `undefined`, `null` and `false` are left out. */
export type Child = Node | string | number | false | null | undefined | readonly Child[]
/** Properties and attributes by name; listeners by `on` and the event name. */
export type Properties = Readonly<Record<string, unknown>>

/** An element with properties and children. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [property, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (property.startsWith('on')) element.addEventListener(property.slice(2), value as EventListener)
    else if (property in element && property !== 'list') Reflect.set(element, property, value)
    else element.setAttribute(property, `${value as string | number | boolean}`)
  }
  element.append(...kept(children))
  return element
}

const SVG = 'http://www.w3.org/2000/svg'

/** The same for SVG, where all properties are attributes. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  element.append(...kept(children))
  return element
}

function kept(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child) => {
    if (child === undefined || child === null || child === false) return []
    if (isList(child)) return kept(child)
    return [typeof child === 'number' ? String(child) : child]
  })
}

const isList = (child: Child): child is readonly Child[] => Array.isArray(child)

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })

export const NOTHING = '–'

/** A whole number, abbreviated from ten thousand. */
export function number(value: number | null | undefined): string {
  if (value === null || value === undefined) return NOTHING
  return Math.abs(value) < 10_000 ? NUMBER.format(value) : COMPACT.format(value)
}

/** A number with its noun. */
export function counted(value: number, thing: string): string {
  return `${number(value)} ${thing}${value === 1 ? '' : 's'}`
}

/** A share of a whole, in per cent. */
export function percent(part: number | null | undefined, whole: number | null | undefined): string {
  if (!whole || part === null || part === undefined) return NOTHING
  const share = (part / whole) * 100
  return `${share > 0 && share < 10 ? share.toFixed(1) : share.toFixed(0)} %`
}

/** A number from 0 to 1, truncated instead of rounded, so that .6999 is not shown as .70. */
export function figure(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined) return NOTHING
  return (Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits)
}

/** A duration. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NOTHING
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1_000) return `${ms.toFixed(0)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(0)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

const AMOUNT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const SMALL_AMOUNT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** An amount of money: a small one with three significant digits, so that fractions of a cent are visible. */
export function money(amount: number | null | undefined, currency?: string | null): string {
  if (amount === null || amount === undefined) return NOTHING
  const small = amount !== 0 && Math.abs(amount) < 1
  return `${(small ? SMALL_AMOUNT : AMOUNT).format(amount)} ${currency ?? ''}`.trim()
}

/** A time in UTC, like all times on the page. */
export function moment(iso: string): HTMLTimeElement {
  return el('time', { dateTime: iso, title: iso }, MOMENT.format(new Date(iso)))
}

/** A code such as `very-low` or `confidence_low` in words. */
export function words(code: string): string {
  const text = code.replaceAll(/[-_]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A verdict or outcome as a word with a symbol, not by colour alone. */
export function badge(verdict: string): HTMLElement {
  return el('span', { className: `badge ${verdict}` }, words(verdict))
}

/** A column of a table. */
interface Column {
  readonly name: string
  readonly className: string
}

/** Numeric columns, which are right-aligned. */
export const figures = (...names: readonly string[]): Column[] => names.map((name) => ({ name, className: 'figures' }))

/** Number of columns from which rows become cards on narrow screens. */
const STACKED_FROM = 4

/** An accessible table: each cell names its column for narrow screens. A column is a name, or comes from `figures`. */
export function table(
  caption: string,
  columns: readonly (string | Column)[],
  rows: readonly (readonly Child[])[],
): HTMLTableElement {
  const named = columns.map((column) => (typeof column === 'string' ? { name: column, className: '' } : column))
  const cell = (value: Child, at: number): HTMLElement => {
    const { name, className } = named[at]!
    const shown = value ?? NOTHING
    return at === 0
      ? el('th', { scope: 'row', 'data-column': name, className }, shown)
      : el('td', { 'data-column': name, className }, shown)
  }
  return el(
    'table',
    { className: columns.length >= STACKED_FROM ? 'stacked' : '' },
    el('caption', { className: 'unseen' }, caption),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        named.map(({ name, className }) => el('th', { scope: 'col', className }, name)),
      ),
    ),
    el(
      'tbody',
      {},
      rows.map((cells) => el('tr', {}, cells.map(cell))),
    ),
  )
}

/** A table that may be wider than the screen: it scrolls separately, also by keyboard. */
export function scrolling(name: string, ...tables: readonly Child[]): HTMLElement {
  return el('div', { className: 'scroll', tabIndex: 0, role: 'group', 'aria-label': name }, tables)
}

/** The shortened id of a policy; the full id as tooltip. */
export function policyName(id: string): HTMLElement {
  const [name, hash = ''] = id.split('@')
  return el('span', { title: id }, name, hash !== '' && el('code', { className: 'quiet' }, ` ${hash.slice(0, 6)}`))
}

/** A list of names and values. */
export function facts(pairs: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return el(
    'dl',
    { className: 'rows' },
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

/** A card with a heading. */
export function card(title: string, ...children: readonly Child[]): HTMLElement {
  const id = `title-${title.toLowerCase().replaceAll(/\W+/g, '-')}`
  return el('section', { className: 'card', 'aria-labelledby': id }, el('h2', { id }, title), children)
}

/** Shown if there is no content. */
export function empty(...text: readonly Child[]): HTMLElement {
  return el('p', { className: 'empty' }, text)
}

/** A part that opens on request. @param name under which a refresh keeps it open */
export function details(name: string, title: string, ...children: readonly Child[]): HTMLElement {
  return el('details', { 'data-name': name }, el('summary', {}, title), children)
}
