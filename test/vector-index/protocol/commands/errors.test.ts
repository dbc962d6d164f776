import { expect, test } from 'vitest'
import { WIRE_ERRORS } from '../../../fixtures/index-errors.ts'
import { testIndex } from '../../test-index.ts'

test.each(WIRE_ERRORS)('$index.indexType: /$path with $body answers $wire', ({ index, path, body, wire }) => {
  const tested = testIndex(index)
  const answer = tested.send(path, body)
  expect(JSON.stringify(answer.body)).toBe(wire)
  expect(JSON.parse(wire)).toMatchObject({ status: answer.status })
  expect(tested.resultOf('info')).toMatchObject({ vectorCount: 0 })
})
