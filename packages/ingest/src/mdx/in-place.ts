/** What is written in place of a tag. */
import { INLINE, LOOK_BACK } from './output.ts'
import type { Tag } from './tags.ts'

/** The beginning of a line in a quote. */
const QUOTE = /^[ \t]*>[ \t>]*$/
const ENDS_IN_CLOSING = /<\/[\w.-]*>$/

/** A tag in its place. */
interface Place {
  readonly text: string
  /** What has been written of its line. */
  readonly line: string
  /** Whether its line ends after it. */
  readonly endsLine: boolean
  /** Number of folders around a file. */
  readonly folders: number
}

/** What a tag is replaced by. */
export function inPlaceOf(tag: Tag, { text, line, endsLine, folders }: Place): string {
  const { name, kind, title, content, alt, file, start } = tag
  const beginsLine = line.trim() === ''
  const isAlone = beginsLine && endsLine
  if (file !== undefined) return `${beginsLine ? '' : '\n'}${'  '.repeat(folders)}- ${file}${endsLine ? '' : '\n'}`
  if (title !== undefined || content !== undefined) {
    if (isWithinSentence(text, start)) return ` ${[titleOf(tag), content].filter(Boolean).join(': ')} `
    const shown = [titleOf(tag, '**'), content].filter(Boolean).join('\n\n')
    if (QUOTE.test(line)) return `${shown}\n${endsLine ? '' : '\n'}`.replaceAll('\n', `\n${line}`)
    return isAlone ? `\n${shown}\n` : `\n\n${shown}\n\n`
  }
  if (INLINE.has(name)) return ''
  if (alt !== undefined) return alt.replaceAll(/\s+/g, ' ')
  // An inline element, such as an icon, does not split a word; a table cell does.
  if (/^[a-z]/.test(name)) return isAlone ? '' : ' '
  // Adjacent components are separate words.
  return kind === 'opening' && ENDS_IN_CLOSING.test(text.slice(Math.max(0, start - LOOK_BACK), start)) ? ' ' : ''
}

/** The title with what is stated of a parameter; '' without one. */
function titleOf({ title = '', facts }: Tag, mark = ''): string {
  if (title === '') return ''
  return `${mark}${title}${mark}${facts === undefined ? '' : ` (${facts})`}`
}

/** Whether words, or the mark of an item, heading or table, come before in the line. */
function isWithinSentence(text: string, start: number): boolean {
  return /[^\s>][ \t]*$/.test(text.slice(Math.max(0, start - LOOK_BACK), start))
}
