import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { HANDBOOK, MIDDLING } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const UNKNOWN = 'Which orchestra recorded the Bolivian anthem in 1951?'
const { post } = workerOver({ ...env })

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

test('the ready Worker refuses in the preferred language among its five', async () => {
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

test('it cautions in the preferred language, in answers and chats, also from the cache', async () => {
  const asked = { question: MIDDLING }
  const chat = { model: 'search', messages: [{ role: 'user', content: MIDDLING }] }
  const said = async (path: string, body: object, language: string): Promise<string> =>
    (await post(path, body, { 'accept-language': language })).text()
  for (let time = 0; time < 2; time++) {
    for (const [path, body] of [
      ['/ask', asked],
      ['/v1/chat/completions', chat],
    ] as const) {
      expect(await said(path, body, 'de')).toContain('"caution":"Die Belege sind begrenzt: bitte prüfen"')
      expect(await said(path, body, 'en')).toContain('"caution":"The evidence for this answer is limited')
    }
  }
})
