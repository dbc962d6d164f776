/** Reads files with one JSON object per line. */
import { readFile } from 'node:fs/promises'
import { isRecord } from 'hono-rag-gate/core/lib'
import { CommandError, misused } from './command-error.ts'

/** A line of a file. */
export interface JsonLine {
  readonly row: Readonly<Record<string, unknown>>
  /** Path and line number, for messages. */
  readonly where: string
}

/** Reads a text file without its byte order mark. @throws `CommandError` if it cannot be read */
export async function readText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw new CommandError(`${path} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  })
  return text.replace(/^\uFEFF/, '')
}

/** Parses JSON lines, skipping empty ones. @throws `CommandError` naming the invalid line */
export function jsonLines(text: string, path: string): readonly JsonLine[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return []
    const where = `${path}:${at + 1}`
    const row = parsed(line, where)
    if (!isRecord(row)) throw misused(`${where} is no object`)
    return [{ row, where }]
  })
}

/** @throws `CommandError` for invalid JSON */
export function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw misused(`${where} is no JSON`)
  }
}
