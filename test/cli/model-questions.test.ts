import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { writeQuestions } from '../../packages/cli/src/model-questions.ts'
import { aFolder } from './folder.ts'
import { run } from './run.ts'

interface Asked {
  readonly seed: number
  readonly temperature?: number
  readonly messages: readonly { readonly role: string; readonly content: string }[]
}

let close = (): void => undefined
afterEach(() => close())

/** A model that answers each request as told; what it was asked is kept. */
async function aModel(answer: (asked: Asked) => { status?: number; body: unknown }) {
  const asked: Asked[] = []
  const made = createServer((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      asked.push(JSON.parse(text) as Asked)
      const { status = 200, body } = answer(JSON.parse(text) as Asked)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  close = () => void made.close()
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  const { port } = made.address() as AddressInfo
  return { asked, model: { baseUrl: `http://127.0.0.1:${port}/v1/`, model: 'm', seed: 7, apiKey: 'k' } }
}

const said = (content: string) => ({ body: { choices: [{ message: { content } }] } })

describe('writeQuestions', () => {
  it('keeps the questions that the model says the passage answers, at most two', async () => {
    const { asked, model } = await aModel(({ messages }) => {
      const last = messages.at(-1)?.content ?? ''
      if (!last.includes('<question>')) return said('1. Who launches?\n- What is it made of?\nNo question.\nWhen?')
      return said(last.includes('Who launches?') ? 'Yes.' : 'no')
    })
    expect(await writeQuestions(model, 'The captain launches.')).toEqual(['Who launches?'])
    expect(asked).toHaveLength(3)
    expect(asked.every(({ seed, temperature }) => seed === 7 && temperature === 0)).toBe(true)
  })

  it('reads what a model says after its reasoning', async () => {
    const { model } = await aModel(({ messages }) =>
      messages.at(-1)?.content.includes('<question>')
        ? said('<think>\nNo?\n</think>\n\nYes.')
        : said('Who is meant?\nWhat?\n</think>\nWho launches?'),
    )
    expect(await writeQuestions(model, 'The captain launches.')).toEqual(['Who launches?'])
  })

  it('asks a model that rejects a temperature again without one', async () => {
    const { asked, model } = await aModel(({ temperature, messages }) => {
      if (temperature !== undefined) return { status: 400, body: { error: 'temperature' } }
      return said(messages.at(-1)?.content.includes('<question>') ? 'yes' : 'Who launches?')
    })
    expect(await writeQuestions(model, 'The captain launches.')).toEqual(['Who launches?'])
    expect(asked.map(({ temperature }) => temperature)).toEqual([0, undefined, 0, undefined])
  })

  it.each([
    [{ status: 500, body: { error: 'secret' } }, 'The model answered with status 500'],
    [{ body: { choices: [] } }, 'no chat completion'],
  ])("reports a failure without the endpoint's text: %j", async (answer, why) => {
    const { model } = await aModel(() => answer)
    const failure = await writeQuestions(model, 'Text.').catch((thrown: unknown) => String(thrown))
    expect(failure).toContain(why)
    expect(failure).not.toContain('secret')
  })
})

describe('rag-gate questions --model', () => {
  const folder = aFolder()
  /** The command, over three documents. */
  const draft = (baseUrl: string) => {
    for (const name of ['a.md', 'b.md', 'c.html']) folder.put(`docs/${name}`, `Text of ${name}`)
    return run(['questions', `${folder.path}/docs`, '--model', 'm'], { env: { LLM_BASE_URL: baseUrl } })
  }

  it('keeps what was written before the model failed', async () => {
    let calls = 0
    const { model } = await aModel(() => {
      calls++
      if (calls > 4) return { status: 503, body: {} }
      return said(calls % 2 === 1 ? `What is question ${calls}?` : 'yes')
    })
    const { code, out, notes } = await draft(model.baseUrl)
    const questions = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { question: string }).question)
    expect({ code, questions }).toEqual({ code: 1, questions: ['What is question 1?', 'What is question 3?'] })
    expect(notes).toContain('The model answered with status 503\nThe questions written before are kept.\n')
  })

  it('reports a failure at once, and questions of which none is answered', async () => {
    const failing = await aModel(() => ({ status: 401, body: {} }))
    expect(await draft(failing.model.baseUrl)).toEqual({
      code: 1,
      out: '',
      notes: 'rag-gate: The model answered with status 401\n',
    })
    close()
    const doubting = await aModel(({ messages }) => said(messages[1]!.content.includes('<question>') ? 'no' : 'What?'))
    expect(await draft(doubting.model.baseUrl)).toEqual({
      code: 1,
      out: '',
      notes: 'rag-gate: The model wrote no question that its passage answers\n',
    })
  })
})

describe('rag-gate questions', () => {
  const folder = aFolder()

  it('reports HTML, whose headings are not read', async () => {
    folder.put('docs/a.html', '<h1>How long are backups kept?</h1>\n## Not a heading of HTML\n')
    const alone = await run(['questions', `${folder.path}/docs`])
    expect(alone).toMatchObject({ code: 1, out: '', notes: expect.stringContaining('no Markdown, MDX or text has') })
    folder.put('docs/b.md', '## How long are keys valid?\n')
    const { out, notes } = await run(['questions', `${folder.path}/docs`])
    expect(JSON.parse(out)).toMatchObject({ question: 'How long are keys valid?' })
    expect(notes).toMatch(/^1 of 2 documents are HTML, whose headings are not read here\.\n/)
  })
})
