import { expect, it } from 'vitest'
import { measureSignals, subjectOf } from '../../../src/core/signals/measure.ts'
import { states } from '../../../src/core/signals/states.ts'
import { english } from '../../../src/language/english/english.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

it.each([
  ['I am on Windows 11. How do I rotate the signing keys?', true],
  ['How do I rotate the signing keys?', false],
])('measures whether statements were left out of %j: %j', (question, expected) => {
  const subject = subjectOf({ question, evidence: evidenceOf([]), language: english })
  expect(measureSignals([states], subject)['states']).toBe(expected)
  expect(
    measureSignals([states], subjectOf({ question, evidence: evidenceOf([]), language: undefined })),
  ).toMatchObject({
    states: false,
  })
})
