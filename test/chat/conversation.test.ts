import { Hono } from 'hono'
import { describe, expect, it, test } from 'vitest'
import { type Chat, readChat, type ReadChatOptions } from '../../packages/chat/src/conversation.ts'

async function chatOf(body: object | string, options?: ReadChatOptions): Promise<Chat> {
  const app = new Hono()
  let chat: Chat | undefined
  app.post('/', async (c) => {
    chat = await readChat(c, options)
    return c.body(null, 204)
  })
  const headers = { 'content-type': 'application/json' }
  await app.request('/', { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  return chat!
}

const uiMessage = (...parts: readonly object[]): object => ({
  role: 'user',
  parts: [{ type: 'text', text: 'How long are backups kept?' }, ...parts],
})
/** A conversation that begins otherwise, and goes on for longer than a model is given. */
const long = (first: string): object[] => [
  { role: 'user', content: first },
  { role: 'assistant', content: 'a'.repeat(8000) },
  { role: 'user', content: 'How long are backups kept?' },
]

describe('the answer to a chat', () => {
  const messages = [{ role: 'user', content: 'How long are backups kept?' }]

  it('depends on a member `question` beside the messages, which the handler may read', async () => {
    const [one, other] = [await chatOf({ messages, question: 'One' }), await chatOf({ messages, question: 'Other' })]
    expect(one.question).toBe(messages[0]!.content)
    expect(one.vary).not.toEqual(other.vary)
  })

  const product = (id: string): object => ({ type: 'data-product', data: { id } })
  const stock = (output: number): object => ({ type: 'tool-stock', toolCallId: 'a', state: 'output-available', output })
  const picture = (url: string): object => ({ type: 'image_url', image_url: { url } })
  it.each<[string, object[], object[]]>([
    ['data beside the question', [uiMessage(product('A'))], [uiMessage(product('B'))]],
    [
      'the output of a tool',
      [uiMessage(), uiMessage(stock(1)), uiMessage()],
      [uiMessage(), uiMessage(stock(2)), uiMessage()],
    ],
    [
      "OpenAI's tool message",
      [{ role: 'tool', content: '1' }, ...messages],
      [{ role: 'tool', content: '2' }, ...messages],
    ],
    [
      'an earlier picture',
      [{ role: 'user', content: [picture('a')] }, ...messages],
      [{ role: 'user', content: [picture('b')] }, ...messages],
    ],
    ['the name of a speaker', [{ ...messages[0], name: 'Ann' }], [{ ...messages[0], name: 'Bob' }]],
    [
      'the arguments of a function',
      [{ role: 'assistant', content: '', function_call: { name: 'stock', arguments: '1' } }, ...messages],
      [{ role: 'assistant', content: '', function_call: { name: 'stock', arguments: '2' } }, ...messages],
    ],
    [
      'an attachment beside the parts',
      [{ ...uiMessage(), experimental_attachments: [{ url: 'a' }] }],
      [{ ...uiMessage(), experimental_attachments: [{ url: 'b' }] }],
    ],
    ['a content beside the parts', [{ ...uiMessage(), content: 'One' }], [{ ...uiMessage(), content: 'Other' }]],
    [
      'a refusal beside the content',
      [{ role: 'assistant', content: 'No.', refusal: 'One' }, ...messages],
      [{ role: 'assistant', content: 'No.', refusal: 'Other' }, ...messages],
    ],
    ['turns before those that the model gets', long('One'), long('Other')],
  ])('depends on %s, which the handler may read', async (_what, one, other) => {
    expect((await chatOf({ messages: one })).vary).not.toEqual((await chatOf({ messages: other })).vary)
  })

  it('does not depend on ids, times and verdicts of messages', async () => {
    const told = (id: string): object[] => [
      { ...uiMessage(), id: `q${id}`, createdAt: id },
      {
        id,
        role: 'assistant',
        metadata: { createdAt: id },
        parts: [
          { type: 'data-rag-gate', data: { decision_id: id } },
          ...(id === 'a' ? [{ type: 'source-document', sourceId: 's' }] : []),
          { type: 'step-start' },
          { type: 'text', text: 'A month.', state: 'done' },
        ],
      },
      uiMessage(),
    ]
    expect((await chatOf({ id: 'c1', messages: told('a') })).vary).toEqual(
      (await chatOf({ id: 'c2', messages: told('b') })).vary,
    )
  })

  it.each(['user', 'safety_identifier', 'prompt_cache_key'])(
    'does not depend on the name of the caller: %s',
    async (name) => {
      const [one, other] = await Promise.all(['Ann', 'Bob'].map((who) => chatOf({ messages, [name]: who })))
      expect(one!.vary).toEqual(other!.vary)
    },
  )

  it('does not depend on earlier turns when none of them is passed on', async () => {
    const chats = [long('One'), long('Other')].map((messages) => chatOf({ messages }, { maxHistoryLength: 0 }))
    const [one, other] = await Promise.all(chats)
    expect([one!.history, other!.history]).toEqual([[], []])
    expect(one!.vary).toEqual(other!.vary)
  })

  it.each([0, 8000])('depends on the system message, with %i characters of history', async (maxHistoryLength) => {
    const told = ['In French.', 'In German.'].map((content) => [{ role: 'system', content }, ...messages])
    const [one, other] = await Promise.all(told.map((each) => chatOf({ messages: each }, { maxHistoryLength })))
    expect(one!.vary).not.toEqual(other!.vary)
  })

  it('depends on every other member of a plain question', async () => {
    const [one, other] = await Promise.all(['Ann', 'Bob'].map((user) => chatOf({ question: 'One', user })))
    expect(one!.vary).not.toEqual(other!.vary)
  })

  it('has no second entry for the question itself', async () => {
    const [one, other] = [await chatOf({ question: 'One' }), await chatOf({ question: 'Other' })]
    expect([one.question, other.question]).toEqual(['One', 'Other'])
    expect(one.vary).toEqual(other.vary)
  })

  it.each([
    ['null', '1e400'],
    ['1e400', '-1e400'],
    ['9007199254740992', '9007199254740993'],
  ])('depends on numbers as they were sent: %s and %s', async (...numbers) => {
    const [one, other] = await Promise.all(
      numbers.map((seed) => chatOf(`{"messages":${JSON.stringify(messages)},"options":{"seed":${seed}}}`)),
    )
    expect(one!.vary).not.toEqual(other!.vary)
  })
})

describe('a last message sent without the earlier ones', () => {
  const alone = (id: string, chat: string): object => ({ id: chat, message: { ...uiMessage(), id } })

  it('is used as the question', async () => {
    expect(await chatOf(alone('m1', 'c1'))).toMatchObject({
      question: 'How long are backups kept?',
      history: [],
      protocol: 'ui-messages',
    })
  })

  it('shares no answer, because the earlier messages are unknown', async () => {
    const chats = [alone('m1', 'c1'), alone('m2', 'c1'), alone('m1', 'c2')].map((body) => chatOf(body))
    const keys = (await Promise.all(chats)).map(({ vary }) => String(vary))
    expect(new Set(keys).size).toBe(3)
  })
})

test.each([null, '', undefined])('a refusal beside the content %j is part of the history', async (content) => {
  const refused = { role: 'assistant', content, refusal: 'I cannot answer this.' }
  const { history } = await chatOf({ messages: [{ role: 'user', content: 'Why?' }, refused, uiMessage()] })
  expect(history.at(-1)).toEqual({ role: 'assistant', content: 'I cannot answer this.' })
})

test('`null` counts as absent, as in OpenAI’s API', async () => {
  const messages = [{ role: 'user', content: 'How long are backups kept?' }]
  const [absent, nulls] = [await chatOf({ messages }), await chatOf({ messages, stream: null, rag_gate: null })]
  const { body: _, ...rest } = absent
  expect(rest.stream).toBe(false)
  expect(nulls).toMatchObject(rest)
})
