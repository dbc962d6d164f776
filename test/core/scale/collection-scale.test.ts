import { describe, expect, it } from 'vitest'
import {
  appliedScale,
  type CollectionScale,
  isCollectionScale,
  scaledFor,
  type ScaledPolicy,
} from '../../../src/core/scale/index.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'

const MINE = balanced()
const LEARNED = {
  origin: 'documents',
  confidence: scaledFor(MINE),
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
    ['a scale of words', SCALE],
    ['a scale of words and meaning', { ...SCALE, meaning: MEANING }],
    ['a scale with the middle 0', { ...SCALE, middle: 0, meaning: { ...MEANING, middle: 0, charge: 0 } }],
    ['a new collection without an embedding', { ...NONE, embeddingModel: '', corpusVersion: 0 }],
  ])('accepts %s', (_, value) => {
    expect(isCollectionScale(value)).toBe(true)
    expect(isCollectionScale(JSON.parse(JSON.stringify(value)))).toBe(true)
  })

  const scales = (changes: readonly object[]): readonly object[] => changes.map((change) => ({ ...SCALE, ...change }))
  const wrongNumbers = [undefined, null, '1', true, NaN, Infinity]
  const counts = ['corpusVersion', 'chunkCount', 'windows', 'learnedAtMs']
  it.each<[string, readonly unknown[]]>([
    ['a value that is not a record', [undefined, null, 'scale', [], 7]],
    [
      'another origin',
      [
        { ...SCALE, origin: 'labels' },
        { ...NONE, origin: undefined },
      ],
    ],
    ['another kind', scales([{ kind: 'scales' }, { kind: undefined }])],
    ['a confidence or an embedding without a name', scales([{ confidence: undefined }, { embeddingModel: null }])],
    [
      'a count that is not a whole number',
      counts.flatMap((name) => scales([...wrongNumbers, -1].map((wrong) => ({ [name]: wrong })))),
    ],
    ['a middle that is not a number', scales(wrongNumbers.map((middle) => ({ middle })))],
    ['a deviation that is not above 0', scales([...wrongNumbers, 0, -1].map((deviation) => ({ deviation })))],
    [
      'a meaning that is not a scale',
      scales([null, 'cosine', { ...MEANING, middle: null }].map((meaning) => ({ meaning }))),
    ],
    ['a meaning without a kind', scales([undefined, 3].map((kind) => ({ meaning: { ...MEANING, kind } })))],
    [
      'a meaning whose charge is not a number of 0 and up',
      scales([...wrongNumbers, -0.1].map((charge) => ({ meaning: { ...MEANING, charge } }))),
    ],
  ])('rejects %s', (_, values) => {
    for (const value of values) expect(isCollectionScale(value), JSON.stringify(value)).toBe(false)
  })
})

describe('appliedScale', () => {
  it('contains what a decision records', () => {
    const { middle, deviation, learnedAtMs, corpusVersion } = SCALE
    const applied = { middle, deviation, learnedAtMs, corpusVersion }
    expect(appliedScale(SCALE, MINE, 'small')).toStrictEqual(applied)
    expect(appliedScale({ ...SCALE, meaning: MEANING }, MINE, 'small')).toStrictEqual({
      ...applied,
      meaning: MEANING,
    })
    expect(appliedScale({ ...SCALE, embeddingModel: '' }, MINE)).toStrictEqual(applied)
  })

  it.each([
    ['thresholds', balanced({ refuseBelow: 0.3, adviseBelow: 0.9 })],
    ['a target', balanced({ refuse: { nearMisses: 0.2 } })],
  ])('is the same for other %s', (_, policy) => {
    expect(appliedScale(SCALE, policy, 'small')).toStrictEqual(appliedScale(SCALE, MINE, 'small'))
  })

  it.each<[string, CollectionScale | null | undefined, ScaledPolicy, string?]>([
    ['when there is no scale', undefined, MINE, 'small'],
    ['when the scale was never learned', null, MINE, 'small'],
    ['when there were too few windows', NONE, MINE, 'small'],
    ['under another confidence', SCALE, { ...MINE, confidence: { settings: { kind: 'top-cosine' } } }, 'small'],
    ['in another language', SCALE, { confidence: MINE.confidence }, 'small'],
    ['under another embedding', SCALE, MINE, 'large'],
    ['under an unknown embedding', SCALE, MINE],
  ])('is undefined %s', (_, scale, policy, embeddingModel) => {
    expect(appliedScale(scale, policy, embeddingModel)).toBeUndefined()
  })
})
