import { expect, it } from 'vitest'
import { placeOf } from '../../../src/core/evidence/place.ts'
import { aPassage } from '../../fixtures/evidence.ts'

it.each([
  [{ title: 'Guide', section: 'Start', source: 'https://a.example' }],
  [{ title: '' }],
  [{ section: 'Start' }],
  [{ source: 'https://a.example' }],
  [{}],
])('reads title, section and source of a passage as its place: %j', (place) => {
  expect(placeOf(aPassage('a', place))).toStrictEqual(place)
})
