/** Every route of the description, with every kind of key: a route that is added is in here by itself. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, test, vi } from 'vitest'
import worker from '../../../workers/gate/index.ts'
import { type DescribedRoute, ROUTES, sample } from '../../fixtures/described-routes.ts'

const SCOPES = ['ask', 'ingest', 'admin'] as const
/** What stands in the data of one tenant and is sent by no other. */
const CANARIES = {
  document: 'zqdocument7421z',
  title: 'zqtitle7421z',
  question: 'zqquestion7421z',
  key: 'zqkeyname7421z',
}
const QUESTION = 'Which code opens the vault of the lighthouse?'

// Nothing is open without a key, and the texts of questions are kept: there is more to leak.
const isolate = { ...env, ANONYMOUS_ASK: 'off', STORE_QUESTIONS_DAYS: '30' }
/** Sends a request, without a wait for what it leaves behind. */
const send = (path: string, init: RequestInit): Promise<Response> =>
  Promise.resolve(worker.fetch(new Request(`https://gate.test${path}`, init), isolate, createExecutionContext()))

/** Ids of what `acme` has, of every kind that a path can name. */
const ids: string[] = []
let owner = ''
let stranger = ''
const without: Record<string, string> = {}

const namesTenant = (route: DescribedRoute): boolean => route.query['tenant'] !== undefined
/** A text of a body: it names what is `acme`'s wherever something is named. */
const textOf = (name: string): string => (name === 'tenant' ? 'acme' : name === 'collection' ? 'vaults' : QUESTION)

/** An address that ends in a query; the id stands in its path, or in the query. */
function addressOf({ path, query }: DescribedRoute, id: string): string {
  const inQuery = query['id'] === undefined ? {} : { id, collection: 'vaults' }
  return `${path.replace('{id}', encodeURIComponent(id))}?${new URLSearchParams(inQuery).toString()}`
}

/** Asks a route, about `acme` in every way that it can be named, or about the first thing of it alone. */
async function ask(
  route: DescribedRoute,
  token: string | undefined,
  how: 'in every way' | 'once' = 'in every way',
): Promise<{ readonly status: number; readonly text: string }[]> {
  const named = (how === 'once' ? ids.slice(0, 1) : ids).map((id) => addressOf(route, id))
  const queries = namesTenant(route) && how !== 'once' ? ['', 'tenant=acme', 'tenant=*'] : ['']
  const body = route.takes === undefined ? {} : { body: JSON.stringify(sample(route.takes, 'all', textOf)) }
  const answers: { status: number; text: string }[] = []
  for (const path of new Set(named)) {
    for (const query of queries) {
      const response = await send(`${path}&${query}`, {
        method: route.method,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...body,
      })
      answers.push({ status: response.status, text: await beginningOf(response) })
    }
  }
  return answers
}

/** The body, or what came of it in a moment: one of them goes on for a minute. */
async function beginningOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.includes('ndjson')) return response.text()
  const reader = response.body!.getReader()
  const read = await Promise.race([reader.read(), scheduler.wait(300)])
  await reader.cancel()
  return new TextDecoder().decode(read?.value)
}

async function call(token: string, method: string, path: string, body?: unknown): Promise<Response> {
  const response = await send(path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status, `${method} ${path}`).toBeLessThan(300)
  return response
}

async function makeKey(
  tenant: string,
  scopes: readonly string[],
  name = 'key',
): Promise<{ id: string; token: string }> {
  return (await call(env.ADMIN_TOKEN!, 'POST', '/v1/keys', { tenant, name, scopes })).json()
}

const codes = (answers: readonly { readonly status: number }[]): number[] => [
  ...new Set(answers.map(({ status }) => status)),
]

beforeAll(async () => {
  const { id, token } = await makeKey('acme', SCOPES, CANARIES.key)
  owner = token
  const text = `# Vault\n\nThe code that opens the vault of the lighthouse is ${CANARIES.document}.`
  const documents = [{ id: 'vault', title: CANARIES.title, text }]
  await call(owner, 'POST', '/v1/documents', { collection: 'vaults', documents })
  await call(owner, 'POST', '/ask', { question: QUESTION, collection: 'vaults' })
  const question = `Where is ${CANARIES.question} kept?`
  const asked = await call(owner, 'POST', '/ask', { question, collection: 'vaults' })
  const decision = /id="([^"]+)"/.exec(asked.headers.get('rag-gate') ?? '')?.[1] ?? ''
  ids.push('vault', 'vaults', id, `key:${id}`, decision)
  stranger = (await makeKey('globex', SCOPES)).token
  for (const scope of SCOPES)
    without[scope] = (
      await makeKey(
        'globex',
        SCOPES.filter((other) => other !== scope),
      )
    ).token
  await vi.waitFor(
    async () => {
      const recorded = await (await call(owner, 'GET', '/v1/decisions')).text()
      if (!recorded.includes(CANARIES.question)) throw new Error('The question is not recorded yet')
    },
    { timeout: 10_000, interval: 200 },
  )
})

test('there are routes for each scope, and routes without one', () => {
  expect(new Set(ROUTES.map(({ scope }) => scope))).toEqual(new Set([undefined, 'ingest', 'admin']))
})

test.each(ROUTES)('$name accepts only the right key, and shows nothing of another tenant', async (route) => {
  const kinds = {
    'no key': undefined,
    'a key that was never made': `${stranger.slice(0, -4)}${stranger.endsWith('aaaa') ? 'bbbb' : 'aaaa'}`,
    'no form of a key': 'x',
    'a key of another tenant': stranger,
    ...(route.scope && { 'a key without the scope': without[route.scope] }),
  }
  for (const [kind, token] of Object.entries(kinds)) {
    const answers = await ask(route, token, token === stranger ? 'in every way' : 'once')
    for (const { status, text } of answers) {
      expect(status, `${kind}: ${text}`).not.toBe(500)
      for (const canary of Object.values(CANARIES)) expect(text, kind).not.toContain(canary)
    }
    if (route.scope === undefined) continue
    if (kind === 'a key without the scope') expect(codes(answers), kind).toEqual([403])
    else if (kind !== 'a key of another tenant') expect(codes(answers), kind).toEqual([401])
    else if (!namesTenant(route)) expect(codes(answers), kind).not.toContain(401)
    // Without a name it is the caller's own tenant.
    else for (const { status } of answers.filter((_, at) => at % 3 > 0)) expect(status, kind).toBe(403)
  }
})

test('after these requests everything of the tenant still exists, and its own key shows it', async () => {
  const seen = new Set<string>()
  for (const route of ROUTES.filter(({ method, path }) => method === 'GET' && !path.endsWith('/live'))) {
    const texts = (await ask(route, owner)).map(({ text }) => text).join()
    for (const [of, canary] of Object.entries(CANARIES)) if (texts.includes(canary)) seen.add(`${route.name}: ${of}`)
  }
  expect([...seen].sort()).toEqual([
    'get /v1/decisions/{id}: question',
    'get /v1/decisions: question',
    'get /v1/keys: key',
    'get /v1/stats/content-gaps: question',
  ])
  const again = await call(owner, 'POST', '/ask', { question: QUESTION, collection: 'vaults' })
  expect(again.headers.get('cache-status')).toContain('hit')
  expect(await again.text()).toContain(CANARIES.document)
})
