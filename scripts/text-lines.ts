import { createReadStream } from 'node:fs'

/**
 * The lines of a file, by line feeds only: `readline` also splits at U+2028 and U+2029, which JSON strings may contain.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let begun = ''
  for await (const piece of createReadStream(path, 'utf8')) {
    // A stream with an encoding yields strings.
    const lines = (begun + (piece as string)).split('\n')
    begun = lines.pop() ?? ''
    yield* lines
  }
  if (begun !== '') yield begun
}
