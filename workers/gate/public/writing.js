/** A text in progress, shown as Markdown. */
import { el } from './elements.js'
import { markdown } from './markdown.js'

/**
 * Limits of the total number of characters parsed: a constant, plus a number per character of the text. So the text is
 * parsed again with each of its first thousand characters, and later when it has grown by a twentieth; the total time
 * stays linear.
 */
const READ_ANYWAY = 200_000
const READ_PER_CHARACTER = 20
const HOLDERS = new Set(['BLOCKQUOTE', 'LI', 'OL', 'P', 'PRE', 'UL'])

/** Writes into an element. Between two parses, text is appended unformatted. */
export function writingInto(element) {
  let text = ''
  let read = 0

  function add(words) {
    // After a line break a new paragraph may begin.
    if (words.includes('\n')) return element.append(el('p', {}, words.trimStart()))
    let last = element
    while (HOLDERS.has(last.lastElementChild?.tagName)) last = last.lastElementChild
    last.append(words)
  }

  return {
    text: () => text,
    write(words) {
      text += words
      if (read + text.length > READ_ANYWAY + READ_PER_CHARACTER * text.length) return add(words)
      read += text.length
      show(element, markdown(text))
    },
    /** @param citation as in `markdown` */
    end: (citation) => show(element, markdown(text, { citation })),
  }
}

/** Keeps unchanged blocks, so that a selection in them stays. */
function show(element, blocks) {
  const other = blocks.findIndex((block, at) => !block.isEqualNode(element.childNodes[at] ?? null))
  const same = other === -1 ? blocks.length : other
  while (element.childNodes.length > same) element.lastChild.remove()
  element.append(...blocks.slice(same))
}
