import { expect, it } from 'vitest'
import { documentCount } from '../../../packages/presets/src/weighted-signals/document-diversity.ts'
import { aPassage } from '../../fixtures/evidence.ts'

it.each([undefined, null, ''])('counts each chunk with the document id %j as its own document', (documentId) => {
  // A careless retriever keeps to no type.
  const unnamed = { ...aPassage('a'), documentId: documentId as string, scores: {} }
  expect(documentCount([unnamed, { ...aPassage('b'), scores: {} }, unnamed])).toBe(3)
})
