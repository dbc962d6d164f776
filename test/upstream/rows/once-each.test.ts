import { expect, test } from 'vitest'
import { onceEach } from '../../../packages/upstream/src/rows/once-each.ts'

test('a key is new once, for each instance', () => {
  const [one, other] = [onceEach(), onceEach()]
  expect([one('a'), one('a'), one('b'), other('a')]).toEqual([true, false, true, true])
})

test('at most a thousand keys are remembered, and no further key is new', () => {
  const isNew = onceEach()
  for (let at = 0; at < 1000; at++) expect(isNew(`k${at}`)).toBe(true)
  expect([isNew('k1000'), isNew('k0')]).toEqual([false, false])
})
