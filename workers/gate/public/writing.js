/** A text that is still being written, shown as Markdown. */
import { el } from './elements.js'
import { markdown } from './markdown.js'

/**
 * Characters that may be read in all: so many, and so many for each character of the text. So the text is read anew with
 * each of its first thousand characters, and later whenever it has grown by a twentieth; the time stays linear.
 */
const READ_ANYWAY = 200_000
const READ_PER_CHARACTER = 20
const HOLDERS = new Set(['BLOCKQUOTE', 'LI', 'OL', 'P', 'PRE', 'UL'])

/** Writes into an element. In between the readings words are added as they are. */
export function writingInto(element) {
  let text = ''
  let read = 0

  function add(words) {
    // Behind the end of a line any text may come.
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

/** Blocks that are there already stay: a selected part of the text stays selected. */
function show(element, blocks) {
  const other = blocks.findIndex((block, at) => !block.isEqualNode(element.childNodes[at] ?? null))
  const same = other === -1 ? blocks.length : other
  while (element.childNodes.length > same) element.lastChild.remove()
  element.append(...blocks.slice(same))
}
