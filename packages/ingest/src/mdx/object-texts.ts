/** Reads the texts of JavaScript literals, from which components such as tables of parameters show their content. */

/** Members that are displayed, and how. */
const SHOWN = new Map([
  ...['name', 'type'].map((key) => [key, 'code'] as const),
  ...['title', 'label', 'term', 'question', 'heading', 'header'].map((key) => [key, 'bold'] as const),
  ...['description', 'content', 'text', 'answer', 'summary', 'body', 'details'].map((key) => [key, 'text'] as const),
])
/** An escaped character, comment, string, key, or what separates members. */
const TOKEN =
  /\\[^]|\/\*[^]*?\*\/|\/\/[^\n]*|(?:(["'])((?:\\[^]|(?!\1)[^\\\n])*)\1|`((?:\\[^]|[^\\`])*)`)(\s*:)?|(?<![\w$])([\w$]{1,100})\s*:|[{}[\],]/g
/** Between a key and its string, or two strings of one value. */
const JOINT = /^[\s+(]*$/
/** Maximum nesting of the list; deeper items are at this level. */
const DEEPEST = 5

/** The texts of one object. */
interface Item {
  readonly depth: number
  /** Key of the object, which names it in a table of types. */
  readonly key: string
  readonly words: string[]
  text: string
}

/**
 * Lists the displayed texts of object literals as nested Markdown items: names and types as code, titles in bold, then
 * descriptions. Takes linear time.
 *
 * @param expression JavaScript
 * @returns '' if no object has a description or the like
 */
export function textsOfObjects(expression: string): string {
  const items: Item[] = []
  const open: Item[] = []
  let key = ''
  let value = ''
  let end = 0
  const endMember = (): void => {
    const item = open.at(-1)
    const how = SHOWN.get(key)
    const words = value.replaceAll(/\s+/g, ' ').trim()
    if (item !== undefined && how !== undefined && words !== '') {
      if (key === 'type' && item.words.length === 0 && item.key !== '') item.words.push(`\`${item.key}\``)
      if (how === 'text') item.text += `${item.text === '' ? '' : ' '}${words}`
      else item.words.push(how === 'bold' || words.includes('`') ? `**${words}**` : `\`${words}\``)
    }
    key = ''
    value = ''
  }
  for (const { 0: token, 2: quoted, 3: inside = quoted, 4: colon, 5: name, index } of expression.matchAll(TOKEN)) {
    const between = expression.slice(end, index)
    end = index + token.length
    if (name !== undefined || colon !== undefined) {
      endMember()
      key = name ?? inside ?? ''
    } else if (inside !== undefined) {
      if (JOINT.test(between)) value += unescaped(inside)
    } else if ('{}[],'.includes(token)) {
      const keyOfObject = key
      endMember()
      if (token === '{') {
        const around = open.at(-1)
        const depth = around === undefined ? 0 : around.depth + (isShown(around) ? 1 : 0)
        const item = { depth, key: keyOfObject, words: [], text: '' }
        open.push(item)
        items.push(item)
      } else if (token === '}') open.pop()
    }
  }
  const shown = items.filter(isShown)
  if (shown.every(({ text }) => text === '')) return ''
  return shown
    .map(({ depth, words, text }) => {
      const indent = '  '.repeat(Math.min(depth, DEEPEST))
      return `${indent}- ${words.join(' ')}${words.length > 0 && text !== '' ? ': ' : ''}${text}`
    })
    .join('\n')
}

const isShown = ({ words, text }: Item): boolean => words.length > 0 || text !== ''

/** The text of a string literal; what a template inserts, and line breaks, are a space. */
export function unescaped(text: string): string {
  return text.replaceAll(/\$\{[^}]*\}|\\[\nnrt]/g, ' ').replaceAll(/\\([^])/g, '$1')
}
