import { expect, test } from 'vitest'
import { sameText } from '../../packages/console/src/same-text.ts'

test('only texts of the same length and characters are equal', () => {
  const text = 'é1🗝a'
  expect([sameText(text, 'é1🗝a'), sameText('', '')]).toEqual([true, true])
  for (const other of ['', 'é1🗝', 'é1🗝b', 'e1🗝a', 'é1🗝a\0', '\0é1🗝a', `${text}${text}`]) {
    expect([sameText(text, other), sameText(other, text)]).toEqual([false, false])
  }
})
