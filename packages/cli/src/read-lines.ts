/** Files of lines, each a JSON object. */
import { readFile } from 'node:fs/promises'
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError, misused } from './command-error.ts'

/** A line of a file. */
export interface JsonLine {
  readonly row: Readonly<Record<string, unknown>>
  /** Path and number of the line, for messages. */
  readonly where: string
}

/** A text file, without its byte order mark. @throws `CommandError` when it cannot be read */
export async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new CommandError(`${path} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  })
  return text.replace(/^\uFEFF/, '')
}

/** The objects of a text of JSON lines; empty lines are passed over. @throws `CommandError` naming the line at fault */
export function jsonLines(text: string, path: string): readonly JsonLine[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const where = `${path}:${at + 1}`
    const row = parsed(line, where)
    if (!isRecord(row)) throw misused(`${where} is no object`)
    return [{ row, where }]
  })
}

/** @throws `CommandError` saying that what stands there is no JSON */
export function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${where} is no JSON`)
  }
}
