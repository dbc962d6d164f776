import { Hono } from 'hono'
import { describe, expect, it, test } from 'vitest'
import { type Chat, readChat } from '../../packages/chat/src/conversation.ts'

async function chatOf(body: object | string): Promise<Chat> {
  const app = new Hono()
  let chat: Chat | undefined
  app.post('/', async (c) => {
    chat = await readChat(c)
    return c.body(null, 204)
  })
  const headers = { 'content-type': 'application/json' }
  await app.request('/', { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  return chat!
}

describe('what the answer to a chat depends on', () => {
  const messages = [{ role: 'user', content: 'How long are backups kept?' }]

  it('is a question beside the messages too, which the handler may read', async () => {
    const [one, other] = [await chatOf({ messages, question: 'One' }), await chatOf({ messages, question: 'Other' })]
    expect(one.question).toBe(messages[0]!.content)
    expect(one.vary).not.toEqual(other.vary)
  })

  it('is not the question once more', async () => {
    const [one, other] = [await chatOf({ question: 'One' }), await chatOf({ question: 'Other' })]
    expect([one.question, other.question]).toEqual(['One', 'Other'])
    expect(one.vary).toEqual(other.vary)
  })

  it.each([
    ['null', '1e400'],
    ['1e400', '-1e400'],
    ['9007199254740992', '9007199254740993'],
  ])('are its numbers as they were sent: %s and %s', async (...numbers) => {
    const [one, other] = await Promise.all(
      numbers.map((seed) => chatOf(`{"messages":${JSON.stringify(messages)},"options":{"seed":${seed}}}`)),
    )
    expect(one!.vary).not.toEqual(other!.vary)
  })
})

test('`null` is as absent, as in OpenAI’s own API', async () => {
  const messages = [{ role: 'user', content: 'How long are backups kept?' }]
  const [absent, nulls] = [await chatOf({ messages }), await chatOf({ messages, stream: null, rag_gate: null })]
  const { body: _, ...rest } = absent
  expect(rest.stream).toBe(false)
  expect(nulls).toMatchObject(rest)
})
