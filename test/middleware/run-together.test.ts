import { describe, expect, it } from 'vitest'
import { aGate, bodyOf, QUESTION } from '../fixtures/gate.ts'

const HELD = 'The engine starts with the red key'
const codeOf = async (question: string, finds?: readonly string[]): Promise<string> =>
  (await bodyOf(await aGate(finds === undefined ? {} : { finds }).ask({ question }))).reason_code

describe('a question with words run together', () => {
  it.each([
    `${HELD} whowonthechessmatchinoslo`,
    `${HELD} WhoWonTheChessMatchInOslo`,
    'How does the engine start thenameofthewinnerofthechessmatch?',
  ])('is refused, however well the rest is supported: %s', async (question) => {
    expect(await codeOf(question)).toBe('question_unreadable')
  })

  it('is judged when the evidence contains the word', async () => {
    const known = 'The engine starts with the red key of whowonthechessmatchinoslo.'
    expect(await codeOf(`${HELD} whowonthechessmatchinoslo`, [known])).toBe('passed')
  })

  it.each([
    'How does the engine of the Donaudampfschifffahrtsgesellschaft start?',
    'How does the engine start in getElementsByTagName of https://example.com/how-does-it-start?',
    QUESTION,
  ])('is not mistaken for a question with a long name: %s', async (question) => {
    expect(await codeOf(question)).toMatch(/^(?:passed|confidence_moderate)$/)
  })
})
