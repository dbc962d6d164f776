/** Builds elements and formats values: texts from documents, models and people become text nodes. */

/** An element with properties and children; strings become text nodes, absent children are left out. */
export function el(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(
    ...children.filter((child) => child !== undefined && child !== null && child !== false && child !== ''),
  )
  return element
}

export function part(title, ...children) {
  return el('section', {}, el('h3', {}, title), ...children)
}

/** Whether there is room for two columns; on a phone more is collapsed at first. */
export function isWide() {
  return matchMedia('(min-width: 58rem)').matches
}

/** A collapsible part. */
export function folding(title, ...children) {
  return el('details', { className: 'folding', open: isWide() }, el('summary', {}, el('h3', {}, title)), ...children)
}

/** Names with their values; those without a value are left out. */
export function rows(entries) {
  const shown = entries.filter(([, first]) => first !== undefined && first !== null && first !== '')
  return el(
    'dl',
    { className: 'rows' },
    ...shown.map(([name, ...values]) => el('div', {}, el('dt', {}, name), el('dd', {}, ...values))),
  )
}

export const VERDICTS = {
  pass: ['Pass', 'The evidence supports an answer.'],
  advise: ['Advise', 'Read with care.'],
  refuse: ['Refuse', 'The evidence does not support an answer.'],
  skip: ['Skip', ''],
  error: ['Error', ''],
}

export function badge(outcome, text = VERDICTS[outcome]?.[0] ?? outcome) {
  return el('span', { className: `badge ${outcome}` }, text)
}

/** A bar from 0 to 1. */
export function bar(share, more = '') {
  return el('span', { className: `bar ${more}` }, placed(el('i'), 'width', share))
}

export function placed(element, side, share) {
  element.style[side] = `${Math.min(1, Math.max(0, share || 0)) * 100}%`
  return element
}

/** Only http(s) URLs become links, because a document's source may be any text. */
export function webLink(address, ...children) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined
  return el('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...children)
}

/** `very-low`, `confidence_low`, `sentenceCoverage` in words. */
export function words(name) {
  return String(name)
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
}

/** Not within a surrogate pair. */
export function shorten(text, length) {
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')} …` : text
}

export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Three decimals, rounded down, so that a number below a threshold is not displayed as equal to it. */
export function floored(value) {
  return (Math.floor(value * 1000 + 1e-7) / 1000).toFixed(3)
}

export function plain(value) {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(3) : String(value)
}

export function ms(value) {
  return `${Math.round(value)} ms`
}

export function duration(seconds) {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}
