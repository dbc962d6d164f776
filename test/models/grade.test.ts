import { describe, expect, test } from 'vitest'
import { readGrade, readGrades } from '../../packages/models/src/grade.ts'

describe('a grade for one passage', () => {
  test.each([
    ['2', 2, true],
    [' 3\n', 3, true],
    ['0', 0, true],
    ['003', 3, true],
    ['٢', 2, true],
    ['Score: 2.7', 2, true],
    ['score: 3', 3, true],
    ['Score: 0', 0, true],
    ['Score: 3 of 3', 3, true],
    ['Score: 2/3', 2, true],
    ['Score: 2 out of 3.', 2, true],
    ['Score: 2, because it names the key.', 2, true],
    ['Score: 1 (touches the topic)', 1, true],
    ['Score: 1\nbecause\nScore: 3', 3, true],
    ['Well,\n  score:2', 2, true],
    // Numbers that are no grade.
    ['4', 1, false],
    ['99', 1, false],
    ['1000', 1, false],
    ['9'.repeat(400), 1, false],
    ['Score: 12', 1, false],
    ['Score: 1000', 1, false],
    ['Score: 5 / 3', 1, false],
    ['Score: -1', 1, false],
    ['Score: +3', 1, false],
    // Numbers on another scale.
    ['Score: 3/10', 1, false],
    ['Score: 3 / 10', 1, false],
    ['Score: 3 out of 10', 1, false],
    ['Score: 3%', 1, false],
    ['Score: 3 %', 1, false],
    ['Score: 3e2', 1, false],
    ['Score: 3,000', 1, false],
    ['Score: 3 000', 1, false],
    ['Score: 2-3', 1, false],
    // The last line says what counts, also when it cannot be read.
    ['Score: 3\nScore: none', 1, false],
    ['Score: 3\nScore: 30', 1, false],
    ['Score:\n3', 1, false],
    ['Myscore: 3', 1, false],
    ['', 1, false],
    ['two', 1, false],
    ['-1', 1, false],
    ['3/3', 1, false],
    ['Score: none', 1, false],
    ['The score: 3', 1, false],
  ])('%j is read as %i, readable: %s', (reply, grade, readable) => {
    expect(readGrade(reply)).toEqual({ grade, readable })
  })
})

describe('grades for several passages', () => {
  const grades = (reply: string, count: number) =>
    readGrades(reply, count).map((read) => (read === undefined || read.readable ? read?.grade : `${read.grade}?`))

  test.each([
    ['1: 3\n2: 0\n3: 2', [3, 0, 2]],
    ['3: 2\r\n1: 3\r\n2: 0', [3, 0, 2]],
    ['[1]: 3\n 2) 1\n3 = 2\n', [3, 1, 2]],
    ['1: Score: 2\n2: 1\n3: 0', [2, 1, 0]],
    ['Here you are:\n1: 3\n2: 0\n3: 2\nDone.', [3, 0, 2]],
    ['1: 3\n3: 2', [3, undefined, 2]],
    ['1: 3\n2: great\n3: 2', [3, '1?', 2]],
    ['1: 1000\n2: -1\n3: 3/10', ['1?', '1?', '1?']],
    ['1: 3\n1: 0\n2: 1\n3: 2', ['1?', 1, 2]],
    ['1: 3\n1: 0\n1: 3\n2: 1\n3: 2', ['1?', 1, 2]],
    ['1: 3\n1: 3\n2: 1\n3: 2', [3, 1, 2]],
    ['0: 3\n4: 3\n1: 1\n2: 1\n3: 1', [1, 1, 1]],
    // Small models add to the form that they were asked for.
    ['1. 3\n2. 0\n3. 2', [3, 0, 2]],
    ['1 - 3\n2 – 0\n3 — 2', [3, 0, 2]],
    ['**1:** 3\n**2**: 0\n3: **2**', [3, 0, 2]],
    ['Passage 1: 3\n- passage [2]: 0\n* Passage 3 - 2', [3, 0, 2]],
    ['1: 3 (it answers the question)\n2: 0, nothing\n3: 2.', [3, 0, 2]],
    ['1: 3/3\n2: 0 of 3\n3: 2.0', [3, 0, 2]],
    ['Passage 1: it names the key.\n1: 3\n2: 0\n3: 2', [3, 0, 2]],
    // These are no grades, or of which passage is not clear.
    ['1.3\n2.0\n3.2', [undefined, undefined, undefined]],
    ['1: 3, 2: 0, 3: 2', ['1?', undefined, undefined]],
    ['1: 3 of 10\n2: 3 - 1\n3: 30 %', ['1?', '1?', '1?']],
    ['3', [undefined, undefined, undefined]],
    ['', [undefined, undefined, undefined]],
  ])('are read from %j', (reply, expected) => {
    expect(grades(reply, 3)).toEqual(expected)
  })

  test('may be a bare number when there is one passage', () => {
    expect(grades('2', 1)).toEqual([2])
    expect(grades('1: 2', 1)).toEqual([2])
    // Grades of passages that were not asked about.
    expect(grades('0: 3\nScore: 2', 1)).toEqual([2])
    expect(grades('2: 3\nScore: 2', 1)).toEqual([2])
    expect(grades('well', 1)).toEqual(['1?'])
    // A list before the score is about no passage.
    expect(grades('1. It names the key.\n2. It says when.\nScore: 3', 1)).toEqual([3])
    expect(grades('1: 3\n1: 0\nScore: 3', 1)).toEqual(['1?'])
  })
})
