import { describe, expect, it } from 'vitest'
import { appliedScale, type CollectionScale, isCollectionScale } from '../../../src/core/scale/index.ts'

const LEARNED = {
  origin: 'documents',
  policyId: 'mine@1',
  embeddingModel: 'small',
  corpusVersion: 3,
  chunkCount: 200,
  windows: 400,
  learnedAtMs: 5,
} as const
const MEANING = { kind: 'cosine', middle: 0.5, deviation: 0.05, charge: 0.1 }
const SCALE = { ...LEARNED, kind: 'scale', middle: -1, deviation: 0.8 } as const
const NONE = { ...LEARNED, kind: 'none', reason: 'too-few-windows' } as const

describe('isCollectionScale', () => {
  it.each<[string, object]>([
    ['one of words', SCALE],
    ['one of words and meaning', { ...SCALE, meaning: MEANING }],
    ['one at 0', { ...SCALE, middle: 0, meaning: { ...MEANING, middle: 0, charge: 0 } }],
    ['one of a collection without an embedding, just begun', { ...NONE, embeddingModel: '', corpusVersion: 0 }],
  ])('takes %s', (_, value) => {
    expect(isCollectionScale(value)).toBe(true)
    expect(isCollectionScale(JSON.parse(JSON.stringify(value)))).toBe(true)
  })

  const scales = (changes: readonly object[]): readonly object[] => changes.map((change) => ({ ...SCALE, ...change }))
  const wrongNumbers = [undefined, null, '1', true, NaN, Infinity]
  const counts = ['corpusVersion', 'chunkCount', 'windows', 'learnedAtMs']
  it.each<[string, readonly unknown[]]>([
    ['no record', [undefined, null, 'scale', [], 7]],
    [
      'another origin',
      [
        { ...SCALE, origin: 'labels' },
        { ...NONE, origin: undefined },
      ],
    ],
    ['another kind', scales([{ kind: 'scales' }, { kind: undefined }])],
    ['a policy or an embedding without a name', scales([{ policyId: undefined }, { embeddingModel: null }])],
    [
      'a count that is none',
      counts.flatMap((name) => scales([...wrongNumbers, -1].map((wrong) => ({ [name]: wrong })))),
    ],
    ['a middle that is none', scales(wrongNumbers.map((middle) => ({ middle })))],
    ['a deviation that is none', scales([...wrongNumbers, 0, -1].map((deviation) => ({ deviation })))],
    [
      'a meaning that is no scale',
      scales([null, 'cosine', { ...MEANING, middle: null }].map((meaning) => ({ meaning }))),
    ],
    ['one without a kind', scales([undefined, 3].map((kind) => ({ meaning: { ...MEANING, kind } })))],
    [
      'one with a charge that is none',
      scales([...wrongNumbers, -0.1].map((charge) => ({ meaning: { ...MEANING, charge } }))),
    ],
  ])('does not take %s', (_, values) => {
    for (const value of values) expect(isCollectionScale(value), JSON.stringify(value)).toBe(false)
  })
})

describe('appliedScale', () => {
  it('is what a decision records of it', () => {
    const { middle, deviation, learnedAtMs, corpusVersion } = SCALE
    const applied = { middle, deviation, learnedAtMs, corpusVersion }
    expect(appliedScale(SCALE, 'mine@1', 'small')).toStrictEqual(applied)
    expect(appliedScale({ ...SCALE, meaning: MEANING }, 'mine@1', 'small')).toStrictEqual({
      ...applied,
      meaning: MEANING,
    })
    expect(appliedScale({ ...SCALE, embeddingModel: '' }, 'mine@1')).toStrictEqual(applied)
  })

  it.each<[string, CollectionScale | null | undefined, string, string?]>([
    ['where there is none', undefined, 'mine@1', 'small'],
    ['where it was never learned', null, 'mine@1', 'small'],
    ['where windows were too few', NONE, 'mine@1', 'small'],
    ['under another policy', SCALE, 'mine@2', 'small'],
    ['under another embedding', SCALE, 'mine@1', 'large'],
    ['under one that is not known', SCALE, 'mine@1'],
  ])('is none %s', (_, scale, policyId, embeddingModel) => {
    expect(appliedScale(scale, policyId, embeddingModel)).toBeUndefined()
  })
})
