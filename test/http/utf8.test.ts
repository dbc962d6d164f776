import { expect, test } from 'vitest'
import { utf8TextOf } from '../../src/http/utf8.ts'

test('only UTF-8 is decoded, without a byte order mark at its beginning', () => {
  expect(utf8TextOf(new TextEncoder().encode('ümläut 🗝'))).toBe('ümläut 🗝')
  expect(utf8TextOf(new TextEncoder().encode('\ufeffa\ufeff').buffer)).toBe('a\ufeff')
  expect(utf8TextOf(new Uint8Array([0x61, 0xe4]))).toBeUndefined()
})
