import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../../packages/vector-index/src/store/base64.ts'

test('bytes encode as everywhere, without padding', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64').replace(/=+$/, ''))
      expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
    }),
  )
})

test('long runs of bytes come back whole', () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => at * 7)
  expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes)
})
