import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../packages/calibration/src/scale/seeded-random.ts'
import {
  isWrittenIn,
  largeDocuments,
  learnFromWindows,
  type LeaveOut,
  observeWindow,
} from '../../../packages/calibration/src/scale/learn-from-windows.ts'
import type { ScalePassage } from '../../../packages/calibration/src/scale/windows.ts'

const VOCABULARY =
  `keys gates answers passages tenants policies questions scores documents indexes mornings tables rivers
  ladders engines windows gardens letters bridges numbers clocks markets stations forests opened closed counted kept sold
  painted measured carried`.split(/\s+/)
const DOCUMENTS = 10
const random = seededRandom(5)
const passages = Array.from({ length: 4 * DOCUMENTS }, (_, at): ScalePassage => {
  const words = Array.from({ length: 24 }, () => VOCABULARY[Math.floor(random() * VOCABULARY.length)])
  return { id: `p${at}`, documentId: `d${at % DOCUMENTS}`, text: `The ${words.join(' ')}.` }
})

/** Confidence: the largest share of a question's words in one passage that is left. */
const search = (question: string, leaveOut: LeaveOut): number =>
  Math.max(
    0,
    ...passages
      .filter((passage) => !leaveOut(passage))
      .map(({ text }) => {
        const words = question.toLowerCase().split(/\P{L}+/u)
        return words.filter((word) => text.toLowerCase().includes(word)).length / words.length
      }),
  )

describe('learnFromWindows', () => {
  it('asks every window without its passage, and without its document', async () => {
    const asked = new Map<string, string[][]>()
    await learnFromWindows({
      passages,
      windows: 30,
      retrieve: async (question, leaveOut) => {
        const left = passages.filter((passage) => !leaveOut(passage))
        asked.set(question, [...(asked.get(question) ?? []), left.map(({ documentId }) => documentId)])
        expect(left.some(({ text }) => text.includes(question))).toBe(false)
        return search(question, leaveOut)
      },
      confidence: (found) => found,
    })
    expect(asked.size).toBe(30)
    for (const [withoutPassage, withoutDocument, ...more] of asked.values()) {
      expect(more).toEqual([])
      expect(new Set(withoutDocument).size).toBe(DOCUMENTS - 1)
      expect(withoutPassage).toHaveLength(passages.length - 1)
    }
  })

  it('asks whole sentences for the semantic score, without their text and with it', async () => {
    const whole: string[] = []
    const asked: string[] = []
    const scale = await learnFromWindows({
      passages,
      windows: 80,
      retrieve: async (question, leaveOut) => {
        const isWhole = passages.every((passage) => !leaveOut(passage))
        if (isWhole) whole.push(question)
        asked.push(question)
        return { confidence: search(question, leaveOut), cosine: isWhole ? 0.9 : 0.4 + (question.length % 7) / 100 }
      },
      confidence: ({ confidence }) => confidence,
      meaning: ({ cosine }) => cosine,
    })
    expect(whole).toHaveLength(40)
    for (const question of whole) expect(passages.map(({ text }) => text)).toContain(`${question}.`)
    expect(asked).toHaveLength(80 * 2 + 40 * 3)
    expect(scale).toMatchObject({ meaning: { kind: 'cosine' } })
    expect(scale?.meaning?.middle).toBeCloseTo(0.43, 1)
  })

  it('excludes every passage that contains the window', async () => {
    const twice = [...passages, ...passages.map((each) => ({ ...each, id: `${each.id} again`, documentId: 'copies' }))]
    await learnFromWindows({
      passages: twice,
      windows: 25,
      retrieve: async (question, leaveOut) => {
        expect(twice.some((passage) => !leaveOut(passage) && passage.text.includes(question))).toBe(false)
        return 0.1
      },
      confidence: (found) => found,
    })
    expect.assertions(50)
  })

  it('learns the same from the same seed', async () => {
    const options = { passages, windows: 50, retrieve: async (q: string, out: LeaveOut) => search(q, out) }
    const learn = (seed: number) => learnFromWindows({ ...options, seed, confidence: (found) => found })
    expect(await learn(1)).toEqual(await learn(1))
    expect(await learn(1)).not.toEqual(await learn(2))
  })

  it('asks nothing of a collection of fewer than twenty passages', async () => {
    const retrieve = async (): Promise<number> => {
      throw new Error('Nothing is asked')
    }
    const scale = await learnFromWindows({ passages: passages.slice(0, 19), retrieve, confidence: () => 0 })
    expect(scale).toBeUndefined()
    const twenty = { passages: passages.slice(0, 20), retrieve: async () => 0.1, confidence: () => 0.1 }
    expect(await learnFromWindows(twenty)).toBeDefined()
  })

  it('learns from the few windows of a ready Worker, also of a single document, which is never left out', async () => {
    const single = passages.map((passage) => ({ ...passage, documentId: 'one' }))
    let asked = 0
    const retrieve = async (question: string, out: LeaveOut) => (asked++, search(question, out))
    const scale = await learnFromWindows({ passages: single, windows: 28, retrieve, confidence: (found) => found })
    expect(scale).toBeDefined()
    expect(asked).toBe(28)
  })

  it('asks nothing more when stopped, and learns from what was asked', async () => {
    let asked = 0
    const options = { passages, windows: 50, retrieve: async () => asked++, confidence: () => 0.1 }
    expect(await learnFromWindows({ ...options, isOver: () => asked >= 40 })).toBeDefined()
    expect(asked).toBe(40)
    expect(await learnFromWindows({ ...options, isOver: () => true })).toBeUndefined()
    expect(asked).toBe(40)
  })

  it("moves the scale towards the usual one only when the passages are in the policy's language", async () => {
    const options = { passages, windows: 50, retrieve: async () => 0.1, confidence: (found: number) => found }
    const learn = (...stopWords: readonly string[]) =>
      learnFromWindows({ ...options, language: { isStopWord: (word) => stopWords.includes(word) } })
    const unread = await learnFromWindows(options)
    expect(await learn('der')).toEqual(unread)
    expect(await learn(...VOCABULARY)).not.toEqual(unread)
  })

  it('reads semantic scores of the given kind, even when some windows have none', async () => {
    let asked = 0
    const scale = await learnFromWindows({
      passages,
      windows: 80,
      retrieve: async (question, leaveOut) => ({
        at: asked++,
        confidence: search(question, leaveOut),
        score: passages.every((passage) => !leaveOut(passage)) ? 0.9 : 0.4 + (question.length % 7) / 100,
      }),
      confidence: ({ confidence }) => confidence,
      meaning: ({ at, score }) => (at === 0 ? undefined : score),
      kind: 'cross-encoder',
    })
    expect(scale?.meaning?.kind).toBe('cross-encoder')
  })

  it('passes on an error of the retrieval', async () => {
    const retrieve = async (): Promise<number> => {
      throw new Error('The index is away')
    }
    await expect(learnFromWindows({ passages, retrieve, confidence: () => 0 })).rejects.toThrow('The index is away')
  })

  it('does not exclude a document that is most of the collection', async () => {
    const one = passages.map((passage) => ({ ...passage, documentId: 'book' }))
    expect(largeDocuments(one)).toEqual(new Set(['book']))
    let asked = 0
    await learnFromWindows({
      passages: one,
      windows: 45,
      retrieve: async () => asked++,
      confidence: () => 0.1,
    })
    expect(asked).toBe(45)
  })
})

describe('observeWindow', () => {
  const { id, documentId, text } = passages[0]!
  const window = { question: text.slice(4, 40), passageId: id, documentId }
  const ask = {
    retrieve: async (_: string, leaveOut: LeaveOut) => passages.filter((passage) => !leaveOut(passage)).length,
    confidence: (found: number) => found / passages.length,
  }
  const ways = ['passage', 'document', 'nothing'] as const

  it('excludes the passage, its document and nothing, in turn', async () => {
    expect(await observeWindow(window, ask, new Set(), ways)).toEqual([
      { leftOut: 'passage', confidence: 39 / 40, meaning: undefined },
      { leftOut: 'document', confidence: 36 / 40, meaning: undefined },
      { leftOut: 'nothing', confidence: 1, meaning: undefined },
    ])
  })

  it('asks about a large document only without its passage, and with everything', async () => {
    const observed = await observeWindow(window, ask, new Set([documentId]), ways)
    expect(observed.map(({ leftOut }) => leftOut)).toEqual(['passage', 'nothing'])
  })
})

describe('isWrittenIn', () => {
  it.each([
    ['a fifth of the words are stop words', ['the keys stay valid today'], true],
    ['fewer are, which is not enough', ['the keys stay valid today', 'keys'], false],
    ['all are', ['The THE the'], true],
  ])('recognises the language when %s', (_, questions, isWritten) => {
    const drawn = questions.map((question) => ({ question, passageId: 'p', documentId: 'd' }))
    expect(isWrittenIn({ isStopWord: (word) => word === 'the' }, drawn)).toBe(isWritten)
  })
})
