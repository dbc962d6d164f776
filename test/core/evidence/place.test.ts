import { expect, it } from 'vitest'
import { placeOf } from '../../../src/core/evidence/place.ts'
import { aPassage } from '../../fixtures/evidence.ts'

it.each([
  [{ title: 'Guide', section: 'Start', source: 'https://a.example' }],
  [{ title: '' }],
  [{ section: 'Start' }],
  [{ source: 'https://a.example' }],
  [{}],
])('a passage stands at %j', (place) => {
  expect(placeOf(aPassage('a', place))).toStrictEqual(place)
})
