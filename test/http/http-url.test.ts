import { expect, test } from 'vitest'
import { httpUrl } from '../../src/http/http-url.ts'

test('a URL for requests begins with https:// or http://, and is complete', () => {
  const values = ['https://a.example', 'HTTP://a.example/b?c', 'ftp://a.example', 'a.example', ' https://a.example']
  expect(values.map(httpUrl.holds)).toEqual([true, true, false, false, false])
  expect(['https://', 'https:// ', 7, new URL('https://a.example')].some(httpUrl.holds)).toBe(false)
  expect(httpUrl.words).toBe('a URL that begins with https:// or http://')
})
