/** Small talk in other languages, which the ready Worker leaves out of questions. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test, vi } from 'vitest'
import { ADMIN, post } from '../../worker-requests.ts'

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

const refused = async (question: string): Promise<boolean> => {
  const response = await post('/ask', { question })
  return ((await response.json()) as { refused: boolean }).refused
}

beforeAll(async () => {
  await post('/v1/documents', { documents: DOCUMENTS }, ADMIN)
})

test('the lists are loaded once, and tried again with the next question after a failure', async () => {
  vi.resetModules()
  const { LANGUAGE, readLanguage } = await import('../../../workers/gate/language.ts')
  const answers = [
    Response.json({ error: 'lost' }, { status: 404 }),
    await env.ASSETS!.fetch('https://assets/v1/small-talk.json'),
  ]
  const fetched: string[] = []
  const assets = {
    fetch: async (url: unknown) => {
      fetched.push(String(url))
      return answers.shift() ?? Promise.reject(new Error('asked again'))
    },
  } as Fetcher
  const bare = (): string => LANGUAGE.partsOf('Kurze Frage: Wie alt ist das Haus?').bare
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await readLanguage(undefined)
  await readLanguage(assets)
  expect(warned.mock.calls).toEqual([[expect.stringContaining('no small talk')]])
  warned.mockRestore()
  expect(bare()).toBe('Kurze Frage: Wie alt ist das Haus?')
  await readLanguage(assets)
  expect(bare()).toBe('Wie alt ist das Haus?')
  await readLanguage(assets)
  expect(fetched).toEqual(Array(2).fill('https://assets/v1/small-talk.json'))
})

test('lists that do not come are not waited for long', async () => {
  vi.resetModules()
  const { readLanguage } = await import('../../../workers/gate/language.ts')
  const never: Fetcher['fetch'] = async (_url, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('nothing came'))))
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  await readLanguage({ fetch: never } as Fetcher)
  expect(warned).toHaveBeenCalledWith(expect.stringContaining('nothing came'))
  warned.mockRestore()
})

test('the lists are asked for before a scale is learned, as questions are judged', async () => {
  vi.resetModules()
  const { compositionFor } = await import('../../../workers/gate/compose.ts')
  const { learnAfter } = await import('../../../workers/gate/documents/learn-scale.ts')
  const fetched: string[] = []
  const fetch = async (...asked: Parameters<Fetcher['fetch']>): Promise<Response> => {
    fetched.push(String(asked[0]))
    return env.ASSETS!.fetch(...asked)
  }
  await learnAfter(compositionFor({ ...env, ASSETS: { fetch } as Fetcher }), 'default', 'default')
  expect(fetched).toEqual(['https://assets/v1/small-talk.json'])
})

test('a question is answered in every way of asking', async () => {
  for (const message of [
    '{}',
    'Frage an alle: {}',
    'Hallo! {} Vielen Dank im Voraus!',
    '{} Bitte mit Quellenangabe.',
    'Guten Tag, können Sie mir sagen, {}',
  ]) {
    expect(await refused(message.replace('{}', ASKED)), message).toBe(false)
  }
  expect(await refused(`${ASKED} Erzähl mir noch einen Witz über Katzen.`)).toBe(true)
})

test('agents are answered as well', async () => {
  const response = await post('/v1/tools/search', { query: `Moin, kurze Frage: ${ASKED}` })
  expect(await response.json()).toMatchObject({ success: true, metadata: { refused: false } })
})
