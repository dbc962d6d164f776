import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../packages/calibration/src/scale/seeded-random.ts'
import {
  largeDocuments,
  learnFromWindows,
  type LeaveOut,
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

  it('asks whole sentences for meaning, without their text and with it', async () => {
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

  it('leaves out every passage that holds the window', async () => {
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
  })

  it('passes on what a retrieval throws', async () => {
    const retrieve = async (): Promise<number> => {
      throw new Error('The index is away')
    }
    await expect(learnFromWindows({ passages, retrieve, confidence: () => 0 })).rejects.toThrow('The index is away')
  })

  it('does not leave out a document that is most of the collection', async () => {
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
