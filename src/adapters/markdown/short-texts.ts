/** Texts in pieces that the writer of Markdown can take: its time rises with the square of the marks in one text. */
import type { Nodes, RootContent, Text } from 'mdast'
import { RagGateError } from '../../errors.ts'

/** Characters of one piece, about. */
const PIECE = 2000
/** Characters that may have to be escaped. */
const MARK = /[^\p{L}\p{N}\s,;'"/?%$=]/gu
/** Marks in one text without a word to cut at. */
const MARKS_AT_MOST = 2000

/**
 * Cuts long texts before words, where no mark-up could begin, so that a tree is written as it would have been. The tree
 * is changed.
 *
 * @throws `document_too_complex` for thousands of punctuation marks without a word among them
 */
export function shortenTexts(tree: Nodes): void {
  const open: Nodes[] = [tree]
  for (const node of open) {
    if (!('children' in node)) continue
    if (node.children.some(isLong)) {
      // Several texts may stand wherever one stood; a parent's own type of children is not known here.
      node.children = (node.children as RootContent[]).flatMap((child): RootContent[] =>
        isLong(child) ? pieces(child) : [child],
      ) as never
    }
    open.push(...node.children)
  }
}

function isLong(node: Nodes): node is Text {
  return node.type === 'text' && node.value.length > PIECE
}

function pieces({ value }: Text): Text[] {
  const found: Text[] = []
  for (let from = 0; from < value.length;) {
    const cut = /(?<= )[a-z]/gi
    cut.lastIndex = from + PIECE
    const to = cut.exec(value)?.index ?? value.length
    const piece = value.slice(from, to)
    if ((piece.match(MARK) ?? []).length > MARKS_AT_MOST) {
      throw new RagGateError('document_too_complex', `Over ${MARKS_AT_MOST} marks stand in a row without a word`)
    }
    found.push({ type: 'text', value: piece })
    from = to
  }
  return found
}
