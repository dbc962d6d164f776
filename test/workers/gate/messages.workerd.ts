import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { HANDBOOK } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const UNKNOWN = 'Which orchestra recorded the Bolivian anthem in 1951?'
const { post } = workerOver({ ...env })

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

test('the ready Worker refuses in the language that is preferred, of the five that are its assets', async () => {
  const refusal = async (language: string): Promise<string> => {
    const response = await post('/ask', { question: UNKNOWN }, { 'accept-language': language })
    const { answer, refused } = (await response.json()) as { answer: string; refused: boolean }
    expect(refused).toBe(true)
    return answer
  }
  const answers: string[] = []
  for (const language of ['de-AT', 'fr', 'es', 'zh-CN', 'ar', 'it']) answers.push(await refusal(language))
  expect(answers).toEqual([
    expect.stringContaining('kann ich diese Frage nicht beantworten'),
    expect.stringContaining('ne me permettent pas de répondre'),
    expect.stringContaining('No puedo responder'),
    expect.stringContaining('我无法回答这个问题'),
    expect.stringContaining('لا أستطيع الإجابة'),
    expect.stringContaining('I cannot answer'),
  ])
})
