import { expect, it } from 'vitest'
import { pinDifferences, type PinDifference, type PolicyPin } from '../../../src/core/policy/policy-pin.ts'

const PIN = { collection: 'c', embedding_model: 'small', dimension: 384, lexicon_id: 'l', corpus_version: 3 }

it.each<[Partial<PolicyPin>, Partial<PolicyPin>, readonly PinDifference[]]>([
  [{}, {}, []],
  [{}, { collection: 'd' }, ['collection']],
  [{}, { embedding_model: 'large' }, ['embedding']],
  [{}, { dimension: 768 }, ['embedding']],
  [{}, { lexicon_id: null }, ['lexicon']],
  [{}, { reader: 'nli' }, []],
  [{ reader: null }, { reader: null }, []],
  [{ reader: null }, { reader: 'nli' }, ['reader']],
  [{ reader: 'nli' }, { reader: 'nli' }, []],
  [
    { reader: 'nli' },
    { collection: 'd', embedding_model: 'large', dimension: 768, reader: null, lexicon_id: 'm' },
    ['collection', 'embedding', 'reader', 'lexicon'],
  ],
])('pinDifferences: a pin with %j and a collection with %j differ in %j', (pinned, now, differences) => {
  expect(pinDifferences({ ...PIN, ...pinned }, { ...PIN, ...now })).toEqual(differences)
})
