import { describe, expect, test } from 'vitest'
import { embedsTexts, indexSettings, kindOf } from '../../packages/vector-index/src/settings.ts'

describe('index settings', () => {
  test.each([
    ['nothing', {}, 'HYBRID', 1024, 'hashed-words-trigrams-1024', 'BM25'],
    ['a kind', { indexType: 'DENSE' }, 'DENSE', 1024, 'hashed-words-trigrams-1024', undefined],
    ['a dimension', { indexType: 'DENSE', dimension: 2 }, 'DENSE', 2, '', undefined],
    ['a dimension of a hybrid index', { dimension: 2 }, 'HYBRID', 2, '', ''],
    [
      'a model',
      { indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' },
      'DENSE',
      384,
      'BGE_SMALL_EN_V1_5',
      undefined,
    ],
    ['a sparse kind', { indexType: 'SPARSE' }, 'SPARSE', undefined, undefined, 'BM25'],
    ['no sparse model', { indexType: 'SPARSE', sparseEmbeddingModel: null }, 'SPARSE', undefined, undefined, ''],
    ['two models', { embeddingModel: 'BGE_M3', sparseEmbeddingModel: 'BGE_M3' }, 'HYBRID', 1024, 'BGE_M3', 'BGE_M3'],
  ])('with %s get their defaults', (_name, given, kind, dimension, model, sparseModel) => {
    const settings = indexSettings('docs', given)
    expect(kindOf(settings)).toBe(kind)
    expect(settings.dense?.dimension).toBe(dimension)
    expect(settings.dense?.model).toBe(model)
    expect(settings.sparse?.model).toBe(sparseModel)
    expect(embedsTexts(settings)).toBe((model ?? sparseModel) !== '')
  })

  test.each([
    ['null', null, 'must be an object'],
    ['a list', [], 'must be an object'],
    ['an unknown member', { dimensions: 3 }, 'no option VECTOR_INDEXES.docs.dimensions'],
    ['an unknown kind', { indexType: 'dense' }, 'DENSE, SPARSE, HYBRID'],
    ['no dimension at all', { indexType: 'DENSE', embeddingModel: null }, 'dimension'],
    ['a dimension of 0', { dimension: 0 }, 'from 1 to 5376'],
    ['a dimension of 5,377', { dimension: 5377 }, 'from 1 to 5376'],
    ['a fraction of a dimension', { dimension: 1.5 }, 'from 1 to 5376'],
    ['an unknown similarity', { similarityFunction: 'MANHATTAN' }, 'COSINE, EUCLIDEAN, DOT_PRODUCT'],
    ['an unknown model', { embeddingModel: 'ada-002' }, 'embeddingModel must be one of hashed-words-trigrams-1024, '],
    [
      'an unknown sparse model',
      { sparseEmbeddingModel: 'SPLADE' },
      'sparseEmbeddingModel must be one of BM25, BGE_M3, or null',
    ],
    ['a dimension that is not the model’s', { embeddingModel: 'BGE_M3', dimension: 384 }, 'needs dimension 1024'],
    ['a model for one part only', { dimension: 2, sparseEmbeddingModel: 'BM25' }, 'both parts or for none'],
    ['a dimension of a sparse index', { indexType: 'SPARSE', dimension: 2 }, 'has no dimension'],
    ['a sparse model of a dense index', { indexType: 'DENSE', sparseEmbeddingModel: 'BM25' }, 'sparseEmbeddingModel'],
    ['a plan of the service', { planLimits: 'free' }, 'no option VECTOR_INDEXES.docs.planLimits'],
  ])('are rejected with %s', (_name, given, message) => {
    expect(() => indexSettings('docs', given)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(() => indexSettings('docs', given)).toThrow(message)
    expect(() => indexSettings('docs', given)).toThrow('VECTOR_INDEXES.docs')
  })
})
