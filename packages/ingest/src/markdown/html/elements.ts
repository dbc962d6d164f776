/** Sets of HTML elements by their role in reading a page. */

/** A set from its members, separated by spaces. */
export const names = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/**
 * Elements that are left out, and not reported as hidden text: content that is never shown, and the readings of characters
 * (`rt`), which would stand within their word.
 */
export const NEVER_SHOWN: ReadonlySet<string> = names(
  'title script style template noscript noframes noembed iframe object canvas audio video datalist rp rt annotation annotation-xml',
)

/** Form controls, which are not part of a page's text. */
export const CONTROLS: ReadonlySet<string> = names('button select textarea')

/** Elements that surround a page's text, unless they are within an article or section; `nav` always does. */
export const AROUND: ReadonlySet<string> = names('header footer aside')

/** Elements that may have their own `header`, `footer` or `aside`. */
export const SECTIONS: ReadonlySet<string> = names('main article section')

/** Longer headings become text, because a heading is repeated in all parts of its section. */
export const LONGEST_HEADING = 300

export const HEADINGS: ReadonlySet<string> = names('h1 h2 h3 h4 h5 h6')

export const CELLS: ReadonlySet<string> = names('td th')
const ROW_GROUPS: ReadonlySet<string> = names('thead tbody tfoot')
/** Elements that may only contain parts of a table; other content directly in them is shown before the table. */
export const TABLE_PARTS: ReadonlySet<string> = new Set(['table', 'tr', ...ROW_GROUPS])

/** Elements that begin and end lines. */
export const BLOCKS: ReadonlySet<string> = new Set([
  ...names(
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
      'footer form header hgroup html legend li listing main menu nav ol optgroup option p plaintext pre search section ' +
      'summary table tbody td tfoot th thead tr ul xmp',
  ),
  ...HEADINGS,
])

/** Elements that preserve whitespace. */
export const PREFORMATTED: ReadonlySet<string> = names('pre listing xmp plaintext')

/** Elements in which character references are not resolved. */
export const RAW_TEXT: ReadonlySet<string> = names('xmp plaintext')

export const INLINE_CODE: ReadonlySet<string> = names('code kbd samp tt')

/** Start tags that end an open paragraph. */
export const ENDS_PARAGRAPH: ReadonlySet<string> = new Set([
  ...names(
    'address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form header ' +
      'hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp',
  ),
  ...HEADINGS,
])

/** Start tags that end an open SVG or MathML element, because they cannot occur in it. */
export const ENDS_FOREIGN: ReadonlySet<string> = new Set([
  ...names(
    'b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta nobr ol p pre ruby s ' +
      'small span strong strike sub sup table tt u ul var',
  ),
  ...HEADINGS,
])

/** What a start tag ends: open elements of `ends` inside the innermost element of `within`. */
interface OwnKind {
  readonly ends: ReadonlySet<string>
  readonly within: ReadonlySet<string>
}

const ITEM_BOUNDARIES =
  'ul ol menu dir dl table td th caption blockquote section article main nav aside header footer details fieldset figure ' +
  'form button object template center pre svg math'
const CELL: OwnKind = { ends: names('td th caption'), within: names('table template tr') }
const ROW: OwnKind = { ends: names('td th tr caption'), within: names('table template') }
const ROW_GROUP: OwnKind = { ends: names('td th tr thead tbody tfoot caption'), within: names('table template') }
const DEFINITION: OwnKind = { ends: names('dd dt'), within: names(`${ITEM_BOUNDARIES} li`) }
const SELECT: OwnKind = { ends: names('select'), within: names('template table td th') }
const FORMATTING_BOUNDARIES = names('td th caption object template')
const RUBY: OwnKind = { ends: names('rb rt rp rtc'), within: names('ruby') }

/** By name of the start tag; from the HTML standard, section 13.2.6. */
export const ENDS_OWN_KIND: ReadonlyMap<string, OwnKind> = new Map([
  ['li', { ends: names('li'), within: names(`${ITEM_BOUNDARIES} dd dt`) }],
  ['dd', DEFINITION],
  ['dt', DEFINITION],
  ['td', CELL],
  ['th', CELL],
  ['tr', ROW],
  ['thead', ROW_GROUP],
  ['tbody', ROW_GROUP],
  ['tfoot', ROW_GROUP],
  ['caption', ROW_GROUP],
  ['option', { ends: names('option'), within: names('select optgroup datalist template') }],
  ['optgroup', { ends: names('option optgroup'), within: names('select datalist template') }],
  ['select', SELECT],
  ['input', SELECT],
  ['textarea', SELECT],
  ['button', { ends: names('button'), within: names('table td th caption object template') }],
  ['a', { ends: names('a'), within: FORMATTING_BOUNDARIES }],
  ['nobr', { ends: names('nobr'), within: FORMATTING_BOUNDARIES }],
  ['rb', RUBY],
  ['rt', { ends: names('rb rt rp'), within: names('ruby rtc') }],
  ['rp', { ends: names('rb rt rp'), within: names('ruby rtc') }],
  ['rtc', RUBY],
])

/** Elements to select; all others have no effect unless they are hidden or have a style. */
export const NOTICED: readonly string[] = [
  ...BLOCKS,
  ...NEVER_SHOWN,
  ...CONTROLS,
  ...INLINE_CODE,
  ...names('q svg math ruby rt rb rtc text foreignobject desc mtext mi mo mn ms a nobr br hr img input'),
]
