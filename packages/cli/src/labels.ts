/** Reads labelled questions from JSONL or CSV. */
import { resolve } from 'node:path'
import { normaliseQuestion } from 'hono-rag-gate/core/text'
import { misused } from './command-error.ts'
import { type JsonLine, jsonLines, readText } from './read-lines.ts'

/** A question, and whether the collection answers it. */
export interface Label {
  readonly question: string
  readonly answerable: boolean
  /** Ids of the passages or documents that answer it; empty if the label names none. */
  readonly relevantIds: readonly string[]
  /** Such as `near-miss`; by default `answerable` or `unanswerable`. */
  readonly kind: string
  /** Absent for the collection of the call. */
  readonly collection?: string
}

/** @throws `CommandError` if a file to be written, by its option, is the one with the labels, or written twice */
export function requireOtherFiles(labels: string, written: Readonly<Record<string, string | undefined>>): void {
  const held = new Map([[resolve(labels), 'the labels']])
  for (const [option, path] of Object.entries(written)) {
    if (path === undefined) continue
    const holds = held.get(resolve(path))
    if (holds !== undefined) throw misused(`${path} holds ${holds}: name another file for ${option}`)
    held.set(resolve(path), `what ${option} writes`)
  }
}

/** A larger file is not a file of labels. */
const MOST_LABELS = 100_000

/**
 * Reads labels. A CSV file begins with a header; its separator may be comma, semicolon or tab, and `relevant_ids` are
 * separated by semicolons.
 *
 * @throws `CommandError` naming the invalid line, or one that contradicts an earlier one
 */
export async function readLabels(path: string): Promise<readonly Label[]> {
  const text = await readText(path)
  const lines = /\.csv$/i.test(path) ? fromCsv(text, path) : jsonLines(text, path)
  if (lines.length === 0) throw misused(`${path} holds no labelled question`)
  if (lines.length > MOST_LABELS) throw misused(`${path} holds more than ${MOST_LABELS} questions`)
  const first = new Map<string, Label & Pick<JsonLine, 'where'>>()
  return lines.map(({ row, where }) => {
    const label = labelOf(row, where)
    const key = JSON.stringify([normaliseQuestion(label.question), label.collection])
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, { ...label, where })
    else if (earlier.answerable !== label.answerable) {
      throw misused(`${where}: the same question is labelled otherwise in ${earlier.where}`)
    }
    return label
  })
}

function fromCsv(text: string, path: string): JsonLine[] {
  const { names, rows } = tableOf(text, path)
  return rows
    .filter((cells) => cells.some((cell) => cell.trim() !== ''))
    .map((cells, at) => {
      const where = `${path}, question ${at + 1}`
      if (cells.length > names.length) {
        throw misused(`${where} has ${cells.length} cells for ${names.length} columns: quote what holds a separator`)
      }
      const row = Object.fromEntries(
        names.flatMap((name, column) => {
          const cell = (cells[column] ?? '').trim()
          return cell === '' ? [] : [[name, name === 'relevant_ids' ? idsIn(cell) : cell]]
        }),
      )
      return { row, where }
    })
}

/** Ids may contain spaces, as names of files do. */
function idsIn(cell: string): string[] {
  return cell.split(/[;\r\n]/).flatMap((id) => id.trim() || [])
}

const NEEDED = ['question', 'answerable'] as const
const SEPARATORS = [',', ';', '\t'] as const

/** Parses a table by the separator for which the header has the required column. */
function tableOf(text: string, path: string): { readonly names: readonly string[]; readonly rows: string[][] } {
  // Some spreadsheets write a `sep=` line first.
  const table = text.replace(/^"?sep=.?"?\r?\n/i, '')
  const lineEnd = table.search(/\r?\n|$/)
  const heads = SEPARATORS.map((separator) => {
    const [cells = []] = parseCsv(table.slice(0, lineEnd), separator) ?? []
    return { separator, names: cells.map((name) => name.trim().toLowerCase()) }
  })
  const head = heads.find(({ names }) => NEEDED.every((needed) => names.includes(needed)))
  if (head === undefined) {
    // The separator for which the header names a question.
    const names = heads.find((each) => each.names.includes('question'))?.names ?? []
    const missing = NEEDED.find((needed) => !names.includes(needed))
    throw misused(
      `${path} has no column ${missing}; the first line must name the columns, separated by commas, semicolons or tabs`,
    )
  }
  const rows = parseCsv(table, head.separator)
  if (rows === undefined) throw misused(`${path} has a quoted cell that does not end`)
  return { names: head.names, rows: rows.slice(1) }
}

/** Cells of a CSV table; `undefined` if a quoted cell is not closed. @see RFC 4180 */
export function parseCsv(text: string, separator: string = ','): string[][] | undefined {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (quoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') cell += text.charAt(++at)
      else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === separator) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
    } else cell += character
  }
  if (quoted) return undefined
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}

const YES = new Set(['true', 'yes', '1', 'y'])
const NO = new Set(['false', 'no', '0', 'n'])

function labelOf(row: Readonly<Record<string, unknown>>, where: string): Label {
  const { question, answerable: said, relevant_ids: ids = [], kind, collection } = row
  if (typeof question !== 'string' || question.trim() === '') throw misused(`${where} has no question`)
  const word = String(said).toLowerCase()
  if (!YES.has(word) && !NO.has(word)) throw misused(`${where}: answerable must be true or false`)
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw misused(`${where}: relevant_ids must be a list of ids`)
  }
  for (const [name, value] of [['kind', kind] as const, ['collection', collection] as const]) {
    if (value !== undefined && typeof value !== 'string') throw misused(`${where}: ${name} must be a string`)
  }
  const answerable = YES.has(word)
  return {
    question,
    answerable,
    // In the form of the gate's ids.
    relevantIds: ids.map((id: string) => id.normalize('NFC')),
    // Checked above to be a string if present.
    kind: (kind as string | undefined) ?? (answerable ? 'answerable' : 'unanswerable'),
    ...(collection === undefined ? {} : { collection: collection as string }),
  }
}
