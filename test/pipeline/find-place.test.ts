import { describe, expect, it } from 'vitest'
import { type CollectionScale, scaledFor } from '../../src/core/scale/collection-scale.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { answering, ASKED, SETTINGS } from '../fixtures/answering.ts'

describe("a collection's scale", () => {
  const policy = balanced()
  const learned = (embeddingModel: string): CollectionScale => ({
    origin: 'documents',
    kind: 'scale',
    middle: -0.4,
    deviation: 1.1,
    confidence: scaledFor(policy),
    embeddingModel,
    corpusVersion: 1,
    chunkCount: 99,
    windows: 99,
    learnedAtMs: 5,
  })

  it.each([
    ['is used with the model that embedded the collection', 'a', 'a', undefined, true],
    ['is not used after another model embedded the collection', 'a', 'b', undefined, false],
    ["is used with the retriever's model where the collection names none", 'a', '', 'a', true],
    ["is not used with another model of the retriever's", 'a', '', 'b', false],
    ['learned without a model is used where none is known', '', '', undefined, true],
    ['learned without a model is not used with one', '', 'a', 'a', false],
  ])('%s', async (_, scaleModel, collectionModel, retrieverModel, used) => {
    const { ports } = answering()
    const find = async (tenant: string, id: string) => ({
      ...plainCollection({ tenant, id }),
      embeddingModel: collectionModel,
      scale: learned(scaleModel),
    })
    const embedding = retrieverModel === undefined ? {} : { embedding: { model: retrieverModel, dimension: 3 } }
    const gated = await gateQuestion(
      { ...ports, collections: { ...ports.collections, find }, retriever: { ...ports.retriever, ...embedding } },
      { ...SETTINGS, policy: () => policy },
      ASKED,
    )
    if (gated.kind !== 'judged') throw new Error('There is no cache')
    expect(gated.decision.signals.scale).toEqual(
      used ? { middle: -0.4, deviation: 1.1, learnedAtMs: 5, corpusVersion: 1 } : null,
    )
  })
})

it('tells the same of a collection that does not exist as of an empty one', async () => {
  const { ports } = answering()
  const collections = { ...ports.collections, find: async () => null }
  await expect(gateQuestion({ ...ports, collections }, SETTINGS, ASKED)).rejects.toThrow(
    'There is no such collection, or nothing in it',
  )
})
