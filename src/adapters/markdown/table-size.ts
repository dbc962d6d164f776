/** How large a table of HTML is when every cell that spans several is written out, as a table of Markdown must be. */
import type { Element, ElementContent } from 'hast'

/**
 * Cells that a table has in Markdown: its rows, each as long as the longest.
 *
 * @param table without hidden elements
 */
export function cellsOf(table: Element): number {
  const rows = rowsOf(table)
  /** By row, how many columns stop reaching down into it. */
  const ending = new Map<number, number>()
  let reaching = 0
  let widest = 0
  for (const [at, row] of rows.entries()) {
    reaching -= ending.get(at) ?? 0
    let width = reaching
    for (const cell of row.children) {
      if (cell.type !== 'element' || (cell.tagName !== 'td' && cell.tagName !== 'th')) continue
      const columns = spanOf(cell, 'colSpan', 1000)
      const down = spanOf(cell, 'rowSpan', 65_534)
      width += columns
      if (down === 1) continue
      reaching += columns
      ending.set(at + down, (ending.get(at + down) ?? 0) + columns)
    }
    widest = Math.max(widest, width)
  }
  return rows.length * widest
}

function rowsOf(table: Element): Element[] {
  const rows: Element[] = []
  const open: ElementContent[] = [...table.children]
  for (const node of open) {
    if (node.type !== 'element' || node.tagName === 'table') continue
    if (node.tagName === 'tr') rows.push(node)
    else for (const child of node.children) open.push(child)
  }
  return rows
}

function spanOf({ properties }: Element, name: 'colSpan' | 'rowSpan', most: number): number {
  const span = Number(properties[name] ?? 1)
  return span >= 1 ? Math.min(most, Math.floor(span)) : 1
}
