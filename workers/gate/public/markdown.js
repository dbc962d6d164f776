/**
 * Markdown as elements: paragraphs, headings, lists, quotes, tables, code, emphasis, links. Text becomes text nodes,
 * only web URLs become links, and HTML stays text.
 */
import { el, webLink } from './elements.js'

/** Longer texts are shown unformatted, because parsing takes time. */
const MAX_CHARACTERS = 30_000
const MAX_DEPTH = 6

const ITEM = /^( {0,8})([-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?$/
const RULER = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/**
 * @param {string} text
 * @param {{ citation?: (number: number) => Node | undefined }} [options] `citation` makes the element for a number in
 *   square brackets, or `undefined` if there is no such source
 * @returns the blocks
 */
export function markdown(text, { citation = () => undefined } = {}) {
  if (text.length > MAX_CHARACTERS) return [el('p', {}, text)]
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), citation, 0)
}

function blocks(lines, citation, depth) {
  if (depth > MAX_DEPTH) return [el('p', {}, lines.join('\n'))]
  const made = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const heading = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line)
    if (line.trim() === '') at++
    else if (fence !== undefined) {
      const closing = new RegExp(`^ {0,3}${fence}[${fence[0]}]*[ \t]*$`)
      const end = endOf(lines, at + 1, (each) => !closing.test(each))
      made.push(el('pre', {}, el('code', {}, lines.slice(at + 1, end).join('\n'))))
      at = end + 1
    } else if (heading !== null) {
      made.push(el('p', { className: 'heading' }, ...inline(heading[1], citation)))
      at++
    } else if (RULER.test(line)) {
      made.push(el('hr'))
      at++
    } else if (/^ {0,3}>/.test(line)) {
      const end = endOf(lines, at, (each) => each.trim() !== '' && (/^ {0,3}>/.test(each) || !startsBlock(each)))
      const quoted = lines.slice(at, end).map((each) => each.replace(/^ {0,3}> ?/, ''))
      made.push(el('blockquote', {}, ...blocks(quoted, citation, depth + 1)))
      at = end
    } else if (ITEM.test(line)) {
      const [list, end] = listFrom(lines, at, citation, depth)
      made.push(list)
      at = end
    } else if (line.includes('|') && DELIMITERS.test(lines[at + 1] ?? '')) {
      const end = endOf(lines, at + 2, (each) => each.includes('|'))
      made.push(table([line, ...lines.slice(at + 2, end)], citation))
      at = end
    } else {
      const end = endOf(lines, at + 1, (each) => each.trim() !== '' && !startsBlock(each))
      made.push(
        el(
          'p',
          {},
          ...inline(
            lines
              .slice(at, end)
              .map((each) => each.trim())
              .join('\n'),
            citation,
          ),
        ),
      )
      at = end
    }
  }
  return made
}

function endOf(lines, from, belongs) {
  let end = from
  while (end < lines.length && belongs(lines[end])) end++
  return end
}

function startsBlock(line) {
  return /^ {0,3}(?:#{1,6}[ \t]|>|`{3}|~{3})/.test(line) || ITEM.test(line) || RULER.test(line)
}

/** A list continues over lines indented at least as far as its items' text, and over blank lines before such. */
function listFrom(lines, start, citation, depth) {
  const [, indent, mark] = ITEM.exec(lines[start])
  const ordered = /\d/.test(mark)
  const items = []
  let at = start
  while (at < lines.length) {
    const item = ITEM.exec(lines[at])
    if (item === null || item[1].length > indent.length + 1 || /\d/.test(item[2]) !== ordered) break
    const inner = item[1].length + item[2].length + 1
    const indented = new RegExp(`^ {${Math.min(inner, item[1].length + 2)},}`)
    let end = at + 1
    while (end < lines.length) {
      const blank = lines[end].trim() === ''
      if (blank ? !indented.test(lines[end + 1] ?? '') : !indented.test(lines[end]) && startsBlock(lines[end])) break
      if (!blank && !indented.test(lines[end]) && lines[end - 1].trim() === '') break
      end++
    }
    const rest = lines.slice(at + 1, end).map((each) => each.replace(new RegExp(`^ {0,${inner}}`), ''))
    const made = blocks([item[3] ?? '', ...rest], citation, depth + 1)
    // A single paragraph is put directly into the item.
    items.push(el('li', {}, ...(made[0]?.tagName === 'P' ? [...made[0].childNodes, ...made.slice(1)] : made)))
    at = end
    while (at < lines.length && lines[at].trim() === '' && ITEM.test(lines[at + 1] ?? '')) at++
  }
  const number = Number.parseInt(mark, 10)
  return [el(ordered ? 'ol' : 'ul', ordered && number !== 1 ? { start: number } : {}, ...items), at]
}

function table([head, ...body], citation) {
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
  const row = (line, tag) => el('tr', {}, ...cells(line).map((cell) => el(tag, {}, ...inline(cell.trim(), citation))))
  return el('table', {}, el('thead', {}, row(head, 'th')), el('tbody', {}, ...body.map((line) => row(line, 'td'))))
}

const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-\u0060{-~])`,
    '(?<ticks>`+)(?<code>[^`]+(?:(?!\\k<ticks>)`+[^`]+)*)\\k<ticks>(?!`)',
    String.raw`\[(?<cited>\d{1,3})\](?!\()`,
    String.raw`!?\[(?<label>[^\]\n]{0,300})\]\((?<href>[^()\s]{0,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)(?:[ \t]+"[^"\n]{0,300}")?\)`,
    String.raw`<(?<auto>https?:\/\/[^\s<>]{1,1000})>`,
    String.raw`\*\*(?<strong>[^\s*](?:[^*\n]{0,500}[^\s*])?)\*\*`,
    String.raw`(?<![\w*])\*(?<em>[^\s*](?:[^*\n]{0,500}[^\s*])?)\*(?![\w*])`,
    String.raw`(?<![\w_])__(?<strong2>[^\s_](?:[^\n_]{0,500}[^\s_])?)__(?![\w_])`,
    String.raw`(?<![\w_])_(?<em2>[^\s_](?:[^\n_]{0,500}[^\s_])?)_(?![\w_])`,
  ].join('|'),
  'g',
)

function inline(text, citation, depth = 0) {
  if (depth > 3) return [text]
  const made = []
  let last = 0
  for (const match of text.matchAll(INLINE)) {
    made.push(text.slice(last, match.index))
    made.push(...inlineOf(match[0], match.groups, citation, depth + 1))
    last = match.index + match[0].length
  }
  made.push(text.slice(last))
  return made.filter((piece) => piece !== '')
}

function inlineOf(whole, groups, citation, depth) {
  const { escaped, code, cited, label, href, auto } = groups
  const strong = groups.strong ?? groups.strong2
  const em = groups.em ?? groups.em2
  if (escaped !== undefined) return [escaped]
  if (code !== undefined) return [el('code', {}, code)]
  if (cited !== undefined) return [citation(Number(cited)) ?? whole]
  if (auto !== undefined) return [webLink(auto, auto) ?? whole]
  if (strong !== undefined) return [el('strong', {}, ...inline(strong, citation, depth))]
  if (em !== undefined) return [el('em', {}, ...inline(em, citation, depth))]
  // An image becomes its description; a link that is not a web URL becomes its text.
  const inside = inline(label, () => undefined, depth)
  if (whole.startsWith('!') || inside.length === 0) return inside
  const link = webLink(href, ...inside)
  return link === undefined ? inside : [link]
}
