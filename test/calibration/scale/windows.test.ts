import { describe, expect, it } from 'vitest'
import { drawWindows, holdsWindow, type ScalePassage } from '../../../packages/calibration/src/scale/windows.ts'
import { WINDOWS_OF_SCRIPTS } from '../../fixtures/windows.ts'
import { growth, PROPORTION } from '../../growth.ts'

const passagesOf = (...texts: string[]): ScalePassage[] =>
  texts.map((text, at) => ({ id: `p${at}`, documentId: `d${at}`, text }))

const ENGLISH = passagesOf(
  'The signing keys are rotated every ninety days by the service. Old keys stay valid for one more day.',
  'A collection holds documents of one tenant, and every document is cut into passages.',
)

describe('drawWindows', () => {
  it('draws five words in a row from one sentence', () => {
    for (const { question, passageId } of drawWindows(ENGLISH, { seed: 3, count: 20 })) {
      const { text } = ENGLISH.find(({ id }) => id === passageId)!
      expect(text).toContain(question)
      expect(question.split(/\s+/)).toHaveLength(5)
      expect(question).not.toContain('. ')
    }
  })

  it('draws whole sentences without their end marks', () => {
    const drawn = drawWindows(ENGLISH, { seed: 1, count: 9, words: Infinity }).map(({ question }) => question)
    const whole = ENGLISH.flatMap(({ text }) => text.split('. ').map((sentence) => sentence.replace(/\.$/, '')))
    expect(drawn.toSorted()).toEqual(whole.toSorted())
    expect(drawWindows(passagesOf('Old keys stay valid.'), { seed: 1, count: 9, words: Infinity })).toEqual([])
  })

  it('draws the same windows for the same seed, and others for another', () => {
    const drawn = (seed: number): string[] => drawWindows(ENGLISH, { seed, count: 6 }).map(({ question }) => question)
    expect(drawn(1)).toEqual(drawn(1))
    expect(drawn(1)).not.toEqual(drawn(2))
  })

  it('draws from every passage in turn', () => {
    const drawn = drawWindows(ENGLISH, { seed: 1, count: 2 })
    expect(new Set(drawn.map(({ passageId }) => passageId)).size).toBe(2)
  })

  it('draws from passages across the collection when it needs a few', () => {
    const many = passagesOf(...Array.from({ length: 100 }, (_, at) => `Rule ${at} says that old keys stay valid.`))
    const places = drawWindows(many, { seed: 1, count: 20 }).map(({ passageId }) => Number(passageId.slice(1)))
    expect(Math.max(...places)).toBeGreaterThan(75)
    expect(Math.min(...places)).toBeLessThan(25)
  })

  it('draws no window twice, and fewer than wanted when there are no more', () => {
    const drawn = drawWindows(passagesOf('Old keys stay valid for one more day.'), { seed: 1, count: 50 })
    expect(drawn.length).toBe(4)
    expect(new Set(drawn.map(({ question }) => question)).size).toBe(4)
  })

  it.each(WINDOWS_OF_SCRIPTS)('draws the same windows on every platform: %s', (_, text, windows) => {
    expect(drawWindows(passagesOf(text), { seed: 1, count: 3 }).map(({ question }) => question)).toEqual(windows)
  })

  it('finds windows in Arabic', () => {
    const text = 'يتم تدوير مفاتيح التوقيع كل تسعين يومًا بواسطة الخدمة وتبقى المفاتيح القديمة صالحة'
    const drawn = drawWindows(passagesOf(text), { seed: 1, count: 5 })
    expect(drawn.length).toBe(5)
    for (const { question } of drawn) expect(text).toContain(question)
  })

  it('ignores tables and code when there is prose', () => {
    const table = passagesOf('| total | 1,204 | 55 | net_income | {"a": 1} | x_y | z | q |')
    const prose = Array.from(
      { length: 40 },
      (_, at) => `Rule number ${at} says that old keys stay valid for one more day.`,
    )
    const drawn = drawWindows([...table, ...passagesOf(...prose)], { seed: 1, count: 60 })
    expect(drawn.filter(({ question }) => /[|{_]/.test(question))).toEqual([])
  })

  it('uses tables when a collection contains little else', () => {
    const tables = Array.from({ length: 30 }, (_, at) => `| total | ${at}204 | 55${at} | net_income | a${at} | b | c |`)
    expect(drawWindows(passagesOf(...tables), { seed: 1, count: 20 }).length).toBe(20)
  })

  // Each passage holds one window, of prose or of a table.
  it.each([
    ['half of those wanted is prose', 20, 10, 10],
    ['less than half of those wanted is prose', 20, 9, 20],
    ['forty windows are prose', 200, 40, 40],
    ['fewer than forty windows are prose', 200, 39, 139],
  ])('when %s, of %i wanted and %i of prose, draws %i', (_, count, prose, drawn) => {
    const sentences = Array.from({ length: prose }, (__, at) => `Rule ${at} keeps old keys.`)
    const tables = Array.from({ length: 100 }, (__, at) => `a_${at} | b_${at} | c_${at} | d_${at} | e_${at}`)
    const found = drawWindows(passagesOf(...tables, ...sentences), { seed: 1, count })
    expect(found).toHaveLength(drawn)
    expect(found.filter(({ question }) => question.startsWith('Rule'))).toHaveLength(prose)
  })

  it('can begin with any passage', () => {
    const first = Array.from({ length: 20 }, (_, seed) => drawWindows(ENGLISH, { seed, count: 1 })[0]?.passageId)
    expect(new Set(first)).toEqual(new Set(['p0', 'p1']))
  })

  it('draws nothing without passages, or from passages of a few words', () => {
    expect(drawWindows([], { seed: 1, count: 5 })).toEqual([])
    expect(drawWindows(passagesOf('Old keys.', ''), { seed: 1, count: 5 })).toEqual([])
  })
})

describe('holdsWindow', () => {
  it('finds a window in any spelling of letters and spaces', () => {
    const holds = holdsWindow({ question: 'keys stay valid' })
    expect(holds('Old KEYS\n stay  valid.')).toBe(true)
    expect(holds('Old keys are valid.')).toBe(false)
    expect(holds('Old keysstayvalid.')).toBe(false)
    expect(holds(`Old keys${'\u0301'.repeat(40)} stay valid.`)).toBe(true)
  })
})

it('texts are read in linear time, even combining marks alone', async () => {
  const holds = holdsWindow({ question: 'Old keys stay valid' })
  expect(await growth(holds, '\u094d\u0301', 128_000)).toBeLessThan(PROPORTION)
  expect(holds(`e${'\u0301'.repeat(40)} Old  keys stay valid`)).toBe(true)
})
