import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { writeQuestions } from '../../packages/cli/src/model-questions.ts'

interface Asked {
  readonly seed: number
  readonly temperature: number
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
