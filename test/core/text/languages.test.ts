import { describe, expect, it } from 'vitest'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { termFrequencies } from '../../../packages/vector-index/src/embed/embedder.ts'
import { passageVector, questionVector } from '../../../packages/vector-index/src/embed/bm25.ts'
import { blockRow, packed, unpacked } from '../../../packages/vector-index/src/search/block.ts'
import { NO_DENSE } from '../../../packages/vector-index/src/search/vectors.ts'
import { searchSparse } from '../../../packages/vector-index/src/search/sparse.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { buildLexicon, measure } from '../../fixtures/english.ts'

interface Collection {
  readonly language: string
  /** Asks for what the first passage says. */
  readonly question: string
  /** Asks for what no passage says. */
  readonly offTopic: string
  readonly passages: readonly string[]
}

const COLLECTIONS: readonly Collection[] = [
  {
    language: 'Japanese',
    question: '保証期間は何年ですか？',
    offTopic: '富士山の高さを教えて',
    passages: [
      'お買い上げありがとうございます。保証期間は購入日から二年です。',
      '電源を入れる前に水を入れてください。',
      '返品は三十日以内に受け付けます。送料はお客様の負担です。',
    ],
  },
  {
    language: 'Chinese',
    question: '保修期有多长？',
    offTopic: '珠穆朗玛峰高度',
    passages: ['感谢购买。保修期为两年。', '开机前请加水。', '三十天内可以退货。运费由客户承担。'],
  },
  {
    language: 'Korean',
    question: '보증기간이 얼마나 됩니까?',
    offTopic: '한라산 높이',
    passages: ['감사드려요. 보증기간은 구입일부터 이 년입니다.', '전원을 켜기 전에 물을 넣으세요.', '반품은 삼십 일.'],
  },
  {
    language: 'Thai',
    question: 'ระยะเวลารับประกันกี่ปี',
    offTopic: 'ดอยสูงแค่ไหน',
    passages: ['ระยะเวลารับประกันคือสองปี', 'กรุณาเติมน้ำก่อนเปิดเครื่อง', 'คืนสินค้าได้ใน ๓๐ วัน'],
  },
  {
    language: 'Russian',
    question: 'Какой ГАРАНТИЙНЫЙ срок?',
    offTopic: 'Высота Эльбруса',
    passages: [
      'Спасибо за покупку. Гарантийный срок составляет два года.',
      'Сначала налейте воду.',
      'Возврат возможен.',
    ],
  },
]

describe.each(COLLECTIONS)('text in $language', ({ question: asked, offTopic, passages }) => {
  const question = normaliseQuestion(asked)

  it('is found by the words of the question', () => {
    const vectors = passages.map((text) => ({ dense: NO_DENSE, sparse: passageVector(termFrequencies(text)) }))
    const block = unpacked(packed(vectors.map((both, position) => blockRow(position, both))))
    const rows = { blocks: [block], count: passages.length, hits: new Map() }
    const search = (text: string) =>
      searchSparse(questionVector(termFrequencies(text)), rows, { topK: 3, weighting: 'IDF', isFound: () => true })
    const found = search(question)
    expect(found[0]?.position).toBe(0)
    const best = search(offTopic)[0]?.score ?? 0
    expect(best).toBeLessThan(found[0]!.score / 2)
  })

  it('gives signals that separate answerable from unanswerable questions', () => {
    const lexicon = buildLexicon(passages)
    const strong = measure(question, evidenceOf(passages), lexicon)
    const weak = measure(normaliseQuestion(offTopic), evidenceOf(passages), lexicon)
    for (const signal of ['topBm25', 'sentenceCoverage', 'keywordCoverage', 'bm25Lead'] as const) {
      expect(strong[signal], signal).toBeGreaterThan(weak[signal])
    }
    expect(strong.sentenceCoverage).toBeGreaterThan(0.3)
  })
})

it('a sentence ends at an ideographic mark, so that scattered words do not count as one sentence', () => {
  const texts = ['保証期間は二年です。', '保証はありません。期間は未定です。']
  const coverage = texts.map((text) => measure('保証期間', evidenceOf([text]), buildLexicon(texts)).sentenceCoverage)
  expect(coverage[0]).toBe(1)
  expect(coverage[1]).toBeLessThan(0.7)
})
