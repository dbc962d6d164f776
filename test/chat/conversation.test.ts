import { Hono } from 'hono'
import { describe, expect, it, test } from 'vitest'
import { type Chat, readChat, type ReadChatOptions } from '../../packages/chat/src/conversation.ts'

/** The chat in a request. @throws what reading it throws */
async function chatOf(body: object | string, options?: ReadChatOptions, again = options): Promise<Chat> {
  const app = new Hono()
  let chat: Chat | undefined
  let failure: unknown
  app.post('/', async (c) => {
    await readChat(c, options)
    chat = await readChat(c, again)
    return c.body(null, 204)
  })
  app.onError((thrown, c) => {
    failure = thrown
    return c.body(null, 500)
  })
  const headers = { 'content-type': 'application/json' }
  await app.request('/', { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  if (failure !== undefined) throw failure
  return chat!
}

const QUESTION = 'How long are backups kept?'
const uiMessage = (...parts: readonly object[]): object => ({
  role: 'user',
  parts: [{ type: 'text', text: QUESTION }, ...parts],
})
const user = (content: unknown): object => ({ role: 'user', content })
const assistant = (content: unknown): object => ({ role: 'assistant', content })

test('everything that an OpenAI client sends is read', async () => {
  const body = {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    rag_gate: { collection: 'c', refuse_as: 'error' },
    messages: [
      { role: 'system', content: 'Be brief.' },
      user('Hello.'),
      assistant('Hello!'),
      { role: 'developer', content: 'Use French.' },
      assistant(' '),
      { role: 'assistant', tool_calls: [] },
      { role: 'tool', content: '5' },
      assistant([
        { type: 'text', text: 'One' },
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 5 },
        { type: 'text', text: 'two' },
      ]),
      user([{ type: 'text', text: 'How long' }, { type: 'data-product' }, { type: 'text', text: 'are backups kept?' }]),
    ],
  }
  expect(await chatOf(body)).toStrictEqual({
    question: 'How long\nare backups kept?',
    protocol: 'openai',
    history: [user('Hello.'), assistant('Hello!'), assistant('One\ntwo')],
    instructions: 'Be brief.\n\nUse French.',
    collection: 'c',
    refuseAs: 'error',
    stream: true,
    includeUsage: true,
    model: 'm',
    vary: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    body,
  })
})

test.each<[string, object, object]>([
  ['a question alone', { question: QUESTION, message: user('Other') }, { protocol: 'json' }],
  ['a message alone', { message: user(QUESTION) }, { protocol: 'openai' }],
  ['messages beside a message', { messages: [user(QUESTION)], message: user('Other') }, { protocol: 'openai' }],
  ['another model', { messages: [user(QUESTION)], model: 5 }, { protocol: 'openai' }],
  ['no form of refusals', { question: QUESTION, rag_gate: { collection: 'c' } }, { protocol: 'json', collection: 'c' }],
  ['no collection', { question: QUESTION, rag_gate: { refuse_as: 'error' } }, { protocol: 'json', refuseAs: 'error' }],
  ['no usage', { messages: [user(QUESTION)], stream_options: { include_usage: 1 } }, { protocol: 'openai' }],
  [
    'a message of the AI SDK after others',
    { messages: [assistant('Hello!'), uiMessage()] },
    { protocol: 'ui-messages' },
  ],
])('nothing is read that was not sent: %s', async (_, body, more) => {
  expect(await chatOf(body)).toStrictEqual({
    question: QUESTION,
    history: [],
    stream: false,
    includeUsage: false,
    vary: [expect.any(String)],
    body,
    ...more,
  })
})

const OWN = 'rag_gate may have collection, and refuse_as: content, refusal or error'
const TEXT_ALONE = 'The question may hold text alone: no images, no files'
const ROLES = 'Each message needs a role: system, developer, user, assistant, tool, function'
test.each<[object, string, string, string]>([
  [{}, 'question_required', 'messages', 'There are no messages'],
  [{ messages: [] }, 'question_required', 'messages', "The last message must be the user's"],
  [
    { messages: [user('One'), assistant('Two')] },
    'question_required',
    'messages',
    "The last message must be the user's",
  ],
  [{ question: 5 }, 'question_type', 'question', 'question must be a string'],
  [{ messages: 'Hello' }, 'question_type', 'messages', 'messages must be a list'],
  [{ messages: [5] }, 'question_type', 'messages', ROLES],
  [{ messages: [{ role: 'toString', content: '' }] }, 'question_type', 'messages', ROLES],
  [{ messages: [{ role: ['user'], content: '' }] }, 'question_type', 'messages', ROLES],
  [
    { messages: [user(5)] },
    'question_type',
    'messages',
    'The content of a message must be a string or a list of parts',
  ],
  [{ messages: [user([{ type: 'image_url' }])] }, 'question_type', 'messages', TEXT_ALONE],
  [{ messages: [user([{ type: 'my-text' }])] }, 'question_type', 'messages', TEXT_ALONE],
  [{ messages: [user([{ type: 'text-file' }])] }, 'question_type', 'messages', TEXT_ALONE],
  [{ messages: [user([null])] }, 'question_type', 'messages', TEXT_ALONE],
  [{ question: 'One', stream: 'yes' }, 'stream_type', 'stream', 'stream must be true or false'],
  [{ question: 'One', rag_gate: 'c' }, 'unknown_field', 'rag_gate', OWN],
  [{ question: 'One', rag_gate: { tenant: 't' } }, 'unknown_field', 'rag_gate', OWN],
  [{ question: 'One', rag_gate: { collection: 5 } }, 'unknown_field', 'rag_gate', OWN],
  [{ question: 'One', rag_gate: { refuse_as: 'text' } }, 'unknown_field', 'rag_gate', OWN],
])('%j is rejected: %s, %s', async (body, code, param, message) => {
  await expect(chatOf(body)).rejects.toMatchObject({ code, param, message })
})

describe('options', () => {
  const turns = [assistant('a'), user('bb'), assistant('ccc'), user(QUESTION)]
  it.each([
    [0, []],
    [4, []],
    [5, turns.slice(1, 3)],
    [6, turns.slice(1, 3)],
  ])('of %i characters give the newest turns that fit, from a question on', async (maxHistoryLength, history) => {
    expect((await chatOf({ messages: turns }, { maxHistoryLength })).history).toEqual(history)
  })

  it('of a second reading have their effect', async () => {
    const read = (again?: ReadChatOptions) => chatOf({ messages: turns }, { maxHistoryLength: 0 }, again)
    expect([(await read()).history.length, (await read({ maxHistoryLength: 9 })).history.length]).toEqual([0, 2])
  })

  it('limit the body', async () => {
    await expect(chatOf({ question: QUESTION }, { maxBodyBytes: 20 })).rejects.toMatchObject({ code: 'body_too_large' })
  })
})

/** A conversation that begins otherwise, and goes on for longer than a model is given. */
const long = (first: string): object[] => [
  { role: 'user', content: first },
  { role: 'assistant', content: first.padEnd(8001) },
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

  it.each<[string, (question: string) => object]>([
    ['alone', (question) => ({ question })],
    ['last of the messages', (question) => ({ messages: [...long('One'), user(question)] })],
  ])('has no second entry for the question itself: %s', async (_, bodyOf) => {
    const [one, other] = [await chatOf(bodyOf('One')), await chatOf(bodyOf('Other'))]
    expect([one.question, other.question]).toEqual(['One', 'Other'])
    expect(one.vary).toEqual(other.vary)
  })

  it.each([{ question: QUESTION }, { messages }])('does not depend on its form: %j', async (body) => {
    const form = { stream: true, rag_gate: { refuse_as: 'error' } }
    expect((await chatOf({ ...body, ...form })).vary).toEqual((await chatOf(body)).vary)
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

test.each([
  [null, 'I cannot answer this.'],
  ['', 'I cannot answer this.'],
  [undefined, 'I cannot answer this.'],
  ['No.', 'No.'],
])('a refusal beside the content %j: the history has %j', async (content, expected) => {
  const refused = { role: 'assistant', content, refusal: 'I cannot answer this.' }
  const { history } = await chatOf({ messages: [{ role: 'user', content: 'Why?' }, refused, uiMessage()] })
  expect(history.at(-1)).toEqual({ role: 'assistant', content: expected })
})

test('`null` counts as absent, as in OpenAI’s API', async () => {
  const messages = [{ role: 'user', content: 'How long are backups kept?' }]
  const [absent, nulls] = [await chatOf({ messages }), await chatOf({ messages, stream: null, rag_gate: null })]
  const { body: _, ...rest } = absent
  expect(rest.stream).toBe(false)
  expect(nulls).toMatchObject(rest)
})
