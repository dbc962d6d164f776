/** Reads from an inline style whether its element is visible. */

/** Font size in pixels, or as a multiple of the parent's. */
export type FontSize = { readonly pixels: number } | { readonly times: number }

/** The properties of an inline style that can hide text. Style sheets are unknown. */
export interface InlineStyle {
  /** The element and its content are not rendered, whatever styles the content has. */
  readonly removed: boolean
  /** Has a `display` value that shows the element, which overrides the attribute `hidden`. */
  readonly displayed: boolean
  /** Has a `display` value that begins and ends lines. */
  readonly apart: boolean
  /** `undefined` if inherited. */
  readonly visibility: 'visible' | 'hidden' | undefined
  readonly fontSize: FontSize | undefined
  /** Whether the text has no colour; `undefined` if inherited. */
  readonly transparent: boolean | undefined
  /** Whether letters of a drawing are filled, or outlined; `undefined` if inherited. */
  readonly filled: boolean | undefined
  readonly stroked: boolean | undefined
}

/** Elements further left or above than this, pixels, are off the screen. */
const OFF_SCREEN = -5000
/** Elements further than this from the right edge, pixels, are beyond the left edge of any page. */
const BEYOND_ANY_PAGE = 9999

/**
 * Parses a style attribute like a browser, in linear time: comments and escapes are resolved, declarations with invalid
 * values ignored, and of a property's valid declarations the last one applies, unless an earlier one is `!important`.
 */
export function readInlineStyle(style: string): InlineStyle {
  const values = declarations(style)
  const display = values.get('display')
  return {
    removed:
      display === 'none' ||
      values.get('content-visibility') === 'hidden' ||
      isOffScreen(values) ||
      isClipped(values) ||
      isFadedOut(values),
    displayed: display !== undefined && !/none|revert/.test(display),
    apart: /^(?:block|flex|grid|table|flow|list)/.test(display ?? ''),
    visibility: visibilityOf(values.get('visibility')),
    fontSize: fontSizeOf(values.get('font-size')),
    transparent: transparencyOf(values),
    filled: paintOf(values, 'fill'),
    stroked: paintOf(values, 'stroke'),
  }
}

const CSS_WIDE = /^(?:inherit|initial|unset|revert|revert-layer)$/
/** Values by which the properties read here are those of the element around. */
const INHERITED = /^(?:inherit|unset|revert|revert-layer|currentcolor)$/

const NUMBER = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`
const UNIT = '(px|pt|pc|in|cm|mm|q|%|r?(?:em|ex|ch|cap|ic|lh)|(?:[sld]?v|cq)(?:w|h|i|b|min|max))'
const LENGTH = new RegExp(`^(${NUMBER})${UNIT}?$`)
/** A value computed at display time: it is valid, but its result is unknown. */
const COMPUTED = /^(?:var|calc|min|max|clamp|env|attr)\(/
const DISPLAY =
  /^(?:none|contents|run-in|list-item|(?:(?:inline|block)(?:[ -](?:block|flex|grid|table|flow|flow-root|ruby|box))?)|(?:flow|flow-root|flex|grid|ruby|math)|table(?:-(?:row|cell|column|caption|row-group|header-group|footer-group|column-group))?|-webkit-(?:inline-)?(?:box|flex)|ruby-(?:base|text|base-container|text-container))$/
const FONT_SIZE = /^(?:xx-small|x-small|small|medium|large|x-large|xx-large|xxx-large|smaller|larger|math)$/

/** Validators of values by property; properties without one accept any value. */
const VALID: Readonly<Record<string, (value: string) => boolean>> = {
  display: (value) => DISPLAY.test(value),
  visibility: (value) => value === 'visible' || value === 'hidden' || value === 'collapse',
  'font-size': (value) => FONT_SIZE.test(value) || (LENGTH.test(value) && !value.startsWith('-')),
  position: (value) => /^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/.test(value),
  opacity: (value) => LENGTH.test(value),
  left: isOffset,
  right: isOffset,
  top: isOffset,
  bottom: isOffset,
  width: isSize,
  height: isSize,
  'max-width': isSize,
  'max-height': isSize,
}

function isOffset(value: string): boolean {
  return value === 'auto' || LENGTH.test(value)
}

function isSize(value: string): boolean {
  return /^(?:auto|none|(?:min|max|fit)-content|stretch)$/.test(value) || (LENGTH.test(value) && !value.startsWith('-'))
}

/** The effective declarations, by property in lower case. */
function declarations(style: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const important = new Set<string>()
  for (const { name: property, value: written } of split(style)) {
    const weight = / ?! ?important$/.exec(written)
    const said = weight === null ? written : written.slice(0, weight.index)
    const [name, value] = property === 'font' ? ['font-size', sizeOfFont(said)] : [property, said]
    const known = Object.hasOwn(VALID, name) ? VALID[name] : undefined
    if (known !== undefined && !known(value) && !CSS_WIDE.test(value) && !COMPUTED.test(value)) continue
    if (important.has(name) && weight === null) continue
    if (weight !== null) important.add(name)
    found.set(name, value)
  }
  return found
}

/** The size in a `font` shorthand, as in `italic 700 12px/1.5 serif`: with a unit or zero, before the family. */
const SIZE_IN_FONT = new RegExp(`(?:^| )(${NUMBER}${UNIT}|[+-]?(?:0+(?:\\.0*)?|\\.0+))(?: ?/ ?[^ ]+)? [^ /]`)

/** The size in a `font` value; `medium` for named sizes and system fonts, '' for an invalid value. */
function sizeOfFont(font: string): string {
  if (CSS_WIDE.test(font) || COMPUTED.test(font)) return font
  return SIZE_IN_FONT.exec(font)?.[1] ?? (/^[a-z-]+(?: |$)/.test(font) ? 'medium' : '')
}

/**
 * Splits a style into declarations in lower case: comments become spaces, whitespace is collapsed, escapes are
 * resolved. Semicolons and colons within brackets or strings, and escaped ones, do not separate.
 */
function split(style: string): { readonly name: string; readonly value: string }[] {
  const found: { name: string; value: string }[] = []
  let name: string | undefined
  let letters: string[] = []
  let depth = 0
  const end = (): void => {
    const value = squeezed(letters)
    if (name !== undefined) found.push({ name, value })
    name = undefined
    letters = []
    depth = 0
  }
  for (let at = 0; at < style.length;) {
    const from = at
    at = endOfToken(style, from)
    const first = style[from]!
    if (first === '\\') letters.push(unescaped(style.slice(from, at)))
    else if (first === '/' && at > from + 1) letters.push(' ')
    else if (first === ';' && depth === 0) end()
    else if (first === ':' && name === undefined) {
      name = squeezed(letters)
      letters = []
    } else {
      if (first === '(' || first === '[' || first === '{') depth++
      else if (first === ')' || first === ']' || first === '}') depth = Math.max(0, depth - 1)
      letters.push(style.slice(from, at))
    }
  }
  end()
  return found
}

/** End of the comment, escape, string or character at a position. */
function endOfToken(style: string, from: number): number {
  const first = style[from]!
  if (style.startsWith('/*', from)) {
    const end = style.indexOf('*/', from + 2)
    return end < 0 ? style.length : end + 2
  }
  if (first === '\\')
    return from + /\\(?:[0-9a-f]{1,6}(?:\r\n|[ \t\r\n\f])?|[^])?/i.exec(style.slice(from, from + 9))![0].length
  if (first !== '"' && first !== "'") return from + 1
  for (let at = from + 1; at < style.length; at++) {
    if (style[at] === '\\') at++
    else if (style[at] === first) return at + 1
    // A string may not contain a line break.
    else if (style[at] === '\n') return at
  }
  return style.length
}

function unescaped(written: string): string {
  const digits = /\\([0-9a-f]{1,6})/i.exec(written)?.[1]
  if (digits === undefined) return written.slice(1)
  return String.fromCodePoint(Math.min(Number.parseInt(digits, 16), 0x10ffff))
}

function squeezed(letters: readonly string[]): string {
  return letters
    .join('')
    .replace(/[ \t\r\n\f]+/g, ' ')
    .replace(/^ | $/g, '')
    .toLowerCase()
}

function visibilityOf(value: string | undefined): InlineStyle['visibility'] {
  if (value === 'hidden' || value === 'collapse') return 'hidden'
  // A computed value may be either; text that may be visible is kept.
  return value === undefined || INHERITED.test(value) ? undefined : 'visible'
}

const UNITS: Readonly<Record<string, number>> = {
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 37.8,
  mm: 3.78,
  q: 0.945,
  em: 16,
  rem: 16,
  ex: 8,
  ch: 8,
  '%': 10,
  vw: 15,
  vh: 10,
  vmin: 10,
  vmax: 15,
}

/** A length in pixels, approximately; `undefined` if it is not a plain length. */
function pixels(value: string | undefined): number | undefined {
  const read = LENGTH.exec(value ?? '')
  return read === null ? undefined : Number(read[1]) * (UNITS[read[2] ?? ''] ?? 1)
}

function fontSizeOf(value: string | undefined): FontSize | undefined {
  if (value === undefined || INHERITED.test(value)) return undefined
  const read = LENGTH.exec(value)
  if (value === 'smaller' || value === 'larger') return { times: value === 'smaller' ? 0.8 : 1.2 }
  if (read === null) return { pixels: 16 }
  const amount = Number(read[1])
  if (read[2] === '%') return { times: amount / 100 }
  if (read[2] === 'em') return { times: amount }
  if (read[2] === 'ex' || read[2] === 'ch') return { times: amount / 2 }
  return { pixels: amount * (UNITS[read[2] ?? ''] ?? 1) }
}

/** The text has no colour, and no background shows through it. */
function transparencyOf(values: ReadonlyMap<string, string>): boolean | undefined {
  const fill = values.get('-webkit-text-fill-color') ?? values.get('color')
  if (fill === undefined || INHERITED.test(fill)) return undefined
  const shown = [...values.keys()].some((name) => /background|text-shadow|text-stroke|clip/.test(name))
  return !shown && isTransparent(fill)
}

function isTransparent(colour: string): boolean {
  return (
    colour === 'transparent' ||
    /^#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$/.test(colour) ||
    (/^[a-z]+\([^()]*[,/] ?0*(?:\.0*)?%? ?\)$/.test(colour) && hasAlpha(colour))
  )
}

/** Whether letters of a drawing are painted; `undefined` if inherited. */
function paintOf(values: ReadonlyMap<string, string>, name: 'fill' | 'stroke'): boolean | undefined {
  const opacity = LENGTH.exec(values.get(`${name}-opacity`) ?? '')
  if (opacity !== null && Number(opacity[1]) <= 0) return false
  const paint = values.get(name)
  if (paint === undefined || (INHERITED.test(paint) && paint !== 'currentcolor')) return undefined
  return paint !== 'none' && !isTransparent(paint)
}

/** `rgb(0, 0, 0)` also ends in zero, but that is its blue component. */
function hasAlpha(colour: string): boolean {
  return colour.includes('/') || colour.split(',').length === 4
}

/** Positioned beyond the left or top edge, where scrolling cannot reach. */
function isOffScreen(values: ReadonlyMap<string, string>): boolean {
  const position = values.get('position')
  if (position !== 'absolute' && position !== 'fixed') return false
  const [top, right, , left] = sides(values.get('inset'))
  // A slider is moved left by its own width to show its last images.
  const reach = pixels(values.get('left') ?? left)
  const toTheLeft = (reach ?? 0) + (pixels(values.get('width')) ?? 0) <= OFF_SCREEN
  const fromTheRight = pixels(values.get('right') ?? right) ?? 0
  const above = pixels(values.get('top') ?? top) ?? 0
  return (
    toTheLeft ||
    (reach === undefined && fromTheRight >= BEYOND_ANY_PAGE) ||
    above + (pixels(values.get('height')) ?? 0) <= OFF_SCREEN
  )
}

/** Top, right, bottom and left of a shorthand. */
function sides(value = ''): readonly (string | undefined)[] {
  const [top, right = top, bottom = top, left = right] = value.split(' ')
  return [top, right, bottom, left]
}

/** Clipped to nothing, or to a single pixel. */
function isClipped(values: ReadonlyMap<string, string>): boolean {
  const position = values.get('position')
  if (position === 'absolute' || position === 'fixed') {
    const rectangle = /^rect\(([^()]*)\)$/.exec(values.get('clip') ?? '')?.[1] ?? ''
    const [top, right, bottom, left] = rectangle.split(/ ?, ?| /).map(pixels)
    if (bottom! - top! <= 1 || right! - left! <= 1) return true
  }
  if (isEmptyShape(values.get('clip-path') ?? values.get('-webkit-clip-path') ?? '')) return true
  const overflow = ['overflow', 'overflow-x', 'overflow-y'].map((name) => values.get(name))
  if (!overflow.some((value) => /\bhidden\b|^clip(?: clip)?$/.test(value ?? ''))) return false
  // Text overflows into padding, as where a picture is to come.
  const isLarger = [...values].some(([name, value]) => /^(?:padding|min-)/.test(name) && /[1-9]/.test(value))
  if (isLarger || isAnimated(values)) return false
  return ['height', 'max-height', 'width', 'max-width'].some((name) => (pixels(values.get(name)) ?? Infinity) <= 1)
}

function isEmptyShape(shape: string): boolean {
  if (/^(?:circle|ellipse)\( ?0(?:px|%)?(?: | ?\))/.test(shape)) return true
  const inset = /^inset\( ?([^()]*?) ?\)$/.exec(shape)?.[1]
  // A length may be any part of its element.
  const [top, right, bottom, left] = sides(inset).map((side) => Number(side?.replace(/%$|^0px$/, '')))
  return top! + bottom! >= 100 || right! + left! >= 100
}

/** A filter that leaves nothing of its element. */
const FADED = /(?:^| )opacity\( ?\+?(?:0+(?:\.0*)?|\.0+)%? ?\)/

/** Fully transparent, without a transition or animation by which a script would show it. */
function isFadedOut(values: ReadonlyMap<string, string>): boolean {
  const filter = values.get('filter') ?? values.get('-webkit-filter') ?? ''
  if (FADED.test(filter)) return ![...values.keys()].some((name) => !name.endsWith('filter') && ANIMATED.test(name))
  const opacity = LENGTH.exec(values.get('opacity') ?? '')
  return opacity !== null && Number(opacity[1]) <= 0 && !isAnimated(values)
}

/** Properties of elements that scripts move, or show and hide. */
const ANIMATED = /^(?:-webkit-)?(?:transform|transition|animation|translate|scale|filter|will-change)/

function isAnimated(values: ReadonlyMap<string, string>): boolean {
  return [...values.keys()].some((name) => ANIMATED.test(name))
}
