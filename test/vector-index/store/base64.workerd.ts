import { expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../../packages/vector-index/src/store/base64.ts'

test('workerd’s own base64 writes and reads what ours does', () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, at) => at * 37)
  expect(Uint8Array).toHaveProperty('fromBase64')
  for (let length = 0; length < bytes.length; length++) {
    const part = bytes.subarray(0, length)
    const text = btoa(String.fromCharCode(...part)).replace(/=+$/, '')
    expect(encodeBase64(part)).toBe(text)
    expect(decodeBase64(text)).toEqual(part)
  }
})
