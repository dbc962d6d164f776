import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { readBody } from '../../../packages/vector-index/src/protocol/request-body.ts'

setFlagsFromString('--expose-gc')
// The flag is missing from the types of the new context.
const collectGarbage = runInNewContext('gc') as () => void

const MEBIBYTE = 1024 * 1024

/** A body of so many pieces. */
function bodyOf(count: number, pieceAt: (at: number) => Uint8Array) {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === count) controller.close()
      else controller.enqueue(pieceAt(at++))
    },
  })
}

const failure = (body: ReadableStream<Uint8Array>) => readBody(body).catch((thrown: unknown) => thrown)

describe('a body', () => {
  test('is read as it arrives, without holding its bytes', async () => {
    const held: number[] = []
    const body = bodyOf(16, (at) => {
      if (at % 5 === 0) {
        // Twice, because buffers are given back after a collection.
        collectGarbage()
        collectGarbage()
        held.push(process.memoryUsage().arrayBuffers)
      }
      return new Uint8Array(MEBIBYTE).fill(0x20)
    })
    expect(await readBody(body)).toHaveLength(16 * MEBIBYTE)
    expect(Math.max(...held) - held[0]!).toBeLessThan(12 * MEBIBYTE)
  })

  test('may be cut within a character, and begin with a byte order mark', async () => {
    const bytes = new TextEncoder().encode('\ufeff{"a":"é😀"}')
    expect(await readBody(bodyOf(bytes.length, (at) => bytes.slice(at, at + 1)))).toBe('{"a":"é😀"}')
    expect(await readBody(null)).toBe('')
  })

  test.each([
    ['invalid', [0x22, 0xff, 0x22]],
    ['incomplete', [0x22, 0xc3]],
  ])('of %s UTF-8 is rejected once it was read', async (_, bytes) => {
    let read = 0
    const body = bodyOf(3, (at) => {
      read++
      return Uint8Array.from(at === 2 || bytes.length === 3 ? bytes : [0x20])
    })
    expect(await failure(body)).toMatchObject({ status: 400 })
    expect(read).toBe(3)
  })

  test('that is too large is read to its end, and one without an end is not', async () => {
    let read = 0
    const piece = new Uint8Array(MEBIBYTE)
    const counted = (): Uint8Array => {
      read++
      return piece
    }
    expect(await failure(bodyOf(40, counted))).toMatchObject({ status: 413 })
    expect(read).toBe(40)
    expect(await failure(bodyOf(1000, counted))).toMatchObject({ status: 413 })
    expect(read).toBeLessThan(40 + 260)
  })
})
