/** Elements without markup: whatever comes from questions, documents or people becomes text nodes. */

/** An element with properties and children; `undefined`, `null` and `false` among the children are left out. */
export function el(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children)
}

const SVG = 'http://www.w3.org/2000/svg'

/** The same for SVG, whose properties are all attributes. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.append(...kept(children))
  return element
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
    else if (name in element && name !== 'list') element[name] = value
    else element.setAttribute(name, value)
  }
  element.append(...kept(children))
  return element
}

function kept(children) {
  return children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false)
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

export const NOTHING = '–'

/** A whole number, short from ten thousand on. */
export function number(value) {
  if (value === null || value === undefined) return NOTHING
  return Math.abs(value) < 10_000 ? NUMBER.format(value) : COMPACT.format(value)
}

/** A number of things. */
export function counted(value, thing) {
  return `${number(value)} ${thing}${value === 1 ? '' : 's'}`
}

/** A share of a whole, in per cent. */
export function percent(part, whole) {
  if (!whole) return NOTHING
  const share = (part / whole) * 100
  return `${share > 0 && share < 10 ? share.toFixed(1) : share.toFixed(0)} %`
}

/** A figure from 0 to 1, cut and not rounded: .6999 must not read as .70. */
export function figure(value, digits = 2) {
  if (value === null || value === undefined) return NOTHING
  return (Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits).toFixed(digits)
}

/** A length of time. */
export function duration(ms) {
  if (ms === null || ms === undefined) return NOTHING
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 1_000) return `${ms.toFixed(0)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 3_600_000) return `${(ms / 60_000).toFixed(0)} min`
  return `${(ms / 3_600_000).toFixed(1)} h`
}

const AMOUNT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const SMALL_AMOUNT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** An amount of money: a small one with its first three figures, so that a fraction of a cent is not nothing. */
export function money(amount, currency) {
  if (amount === null || amount === undefined) return NOTHING
  const small = amount !== 0 && Math.abs(amount) < 1
  return `${(small ? SMALL_AMOUNT : AMOUNT).format(amount)} ${currency ?? ''}`.trim()
}

/** A moment in the reader's own time, with UTC when pointed at. */
export function moment(iso) {
  return el('time', { dateTime: iso, title: iso }, MOMENT.format(new Date(iso)))
}

/** A code such as `very-low` or `confidence_low`, as words. */
export function words(code) {
  const text = String(code).replaceAll(/[-_]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A verdict or outcome: a word with a sign, never colour alone. */
export function badge(verdict) {
  return el('span', { className: `badge ${verdict}` }, words(verdict))
}

/** Columns of figures: they stand under each other at the end. */
export const figures = (...names) => names.map((name) => ({ name, className: 'figures' }))

/** Columns from which on a row becomes a card of its own where the screen is narrow. */
const STACKED_FROM = 4

/**
 * A table that a screen reader and a phone can read: each cell knows its column. A column is a name, or comes from
 * `figures`.
 */
export function table(caption, columns, rows) {
  const named = columns.map((column) => (typeof column === 'string' ? { name: column, className: '' } : column))
  const cell = (value, at) => {
    const { name, className } = named[at]
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

/** A table that may be wider than the screen: it scrolls in itself, by keyboard too. */
export function scrolling(name, ...tables) {
  return el('div', { className: 'scroll', tabIndex: 0, role: 'group', 'aria-label': name }, tables)
}

/** The id of a policy, short; whole when pointed at. */
export function policyName(id) {
  const [name, hash = ''] = id.split('@')
  return el('span', { title: id }, name, hash !== '' && el('code', { className: 'quiet' }, ` ${hash.slice(0, 6)}`))
}

/** Names and values. */
export function facts(pairs) {
  return el(
    'dl',
    { className: 'rows' },
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

/** A card with a heading. */
export function card(title, ...children) {
  const id = `title-${title.toLowerCase().replaceAll(/\W+/g, '-')}`
  return el('section', { className: 'card', 'aria-labelledby': id }, el('h2', { id }, title), children)
}

/** What stands where there is nothing to show. */
export function empty(text) {
  return el('p', { className: 'empty' }, text)
}
