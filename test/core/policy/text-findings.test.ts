import { expect, it } from 'vitest'
import { CONTEXT, isOfTexts } from '../../../src/core/policy/text-findings.ts'

it.each([
  [CONTEXT, true],
  ['context', true],
  ['rule:weather', true],
  ['evidence', false],
  ['my rule:', false],
  ['', false],
])('isOfTexts: a finding of %j depends on texts: %s', (gate, expected) => {
  expect(isOfTexts({ gate })).toBe(expected)
})
