/** Small talk in other languages, which the ready Worker leaves out of questions. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test, vi } from 'vitest'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const ASKED = 'Wie lange werden die Sicherungen der Abrechnung aufbewahrt?'
const DOCUMENTS = [
  {
    id: 'sicherungen',
    title: 'Sicherungen',
    text: `# Sicherungen

Die nächtlichen Sicherungen der Abrechnung werden fünfunddreißig Tage lang in zwei Regionen aufbewahrt. Danach werden sie
gelöscht. Eine Wiederherstellung genehmigen zwei Ingenieurinnen der Plattform.`,
  },
  {
    id: 'reisen',
    title: 'Reisen',
    text: `# Reisen

Fahrkarten der Bahn werden für die zweite Klasse gebucht. Belege gehen binnen zehn Tagen an die Buchhaltung.`,
  },
]

const loaded: string[] = []
let isThere = false
const ASSETS = {
  fetch: async (...given: Parameters<Fetcher['fetch']>) => {
    loaded.push(String(given[0]))
    return isThere ? env.ASSETS!.fetch(...given) : new Response('lost', { status: 404 })
  },
} as Fetcher
const { post } = workerOver({ ...env, ASSETS })

const refused = async (question: string): Promise<boolean> => {
  const response = await post('/ask', { question })
  return ((await response.json()) as { refused: boolean }).refused
}

beforeAll(async () => {
  await post('/v1/documents', { documents: DOCUMENTS }, ADMIN)
})

test('without its lists a question is judged with the small talk around it, and they are asked for again', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  expect(await refused(ASKED)).toBe(false)
  expect(await refused(`Kurze Frage: ${ASKED}`)).toBe(true)
  expect(loaded).toEqual(Array(2).fill('https://assets/v1/small-talk.json'))
  expect(warned.mock.calls.flat()).toEqual(Array(2).fill(expect.stringContaining('no small talk')))
  warned.mockRestore()
})

test('with them it is answered in every way of asking, and they are loaded once', async () => {
  isThere = true
  for (const message of ['Frage an alle: {}', 'Hallo! {} Vielen Dank im Voraus!', '{} Bitte mit Quellenangabe.', 'Guten Tag, können Sie mir sagen, {}']) {
    expect(await refused(message.replace('{}', ASKED)), message).toBe(false)
  }
  expect(await refused(`${ASKED} Erzähl mir noch einen Witz über Katzen.`)).toBe(true)
  expect(loaded).toHaveLength(3)
})

test('agents are answered as well', async () => {
  const response = await post('/v1/tools/search', { query: `Moin, kurze Frage: ${ASKED}` })
  expect(await response.json()).toMatchObject({ success: true, metadata: { refused: false } })
})
