/**
 * The console after 3,000 mixed questions: what the screen shows against SQL against the asker's own ledger.
 *
 *   node scripts/run.mjs --with=all test/deep/console-show.ts [questions]
 *
 * Three tenants ask a real workerd: popular questions and rare ones, in JSON and as streams. The model answers 429, no JSON or
 * never, the search hangs or breaks, tokens and collections are wrong, and requests are none. Every answer goes into a ledger.
 * Then all views are read in a real browser, on a desktop and a phone, light and dark, and each figure is held against SQL
 * over the Worker's own database, asked past the Worker, and each row of that against the ledger. Fails on any difference.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { seededRandom } from '../../bench/seeded-random.ts'
import { callGate, ingest } from '../../packages/cli/src/gate-client.ts'
import { startLocalGate } from '../../scripts/local-gate.ts'
import { theBrowser } from '../e2e/browser.ts'
import { readSoakCorpus } from './soak-corpus.ts'

const QUESTIONS = Number(process.argv[2] ?? 3_000)
const TENANTS = ['default', 'acme', 'globex'] as const
const CONNECTIONS = 8
const POPULAR = 40
const DOCUMENTS = 240
const PRICES = { input: 150, output: 600, retrieval: 0.001 }
const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 390].map((width) => ({ colorScheme, viewport: { width, height: width === 390 ? 780 : 900 } })),
)

const differences: string[] = []
let compared = 0
function compare(what: string, found: unknown, expected: unknown): void {
  compared++
  const [one, other] = [JSON.stringify(found), JSON.stringify(expected)]
  if (one !== other) differences.push(`${what}: ${one}, not ${other}`)
}

/** Outcome of a request: a decision if the gate returned one, otherwise an error. */
interface Received {
  readonly tenant: string
  readonly key: string
  readonly collection: string
  readonly status: number
  readonly code: string | undefined
  readonly decision: Readonly<Record<string, string>> | undefined
  readonly cache: string
  readonly confidence: number | undefined
  readonly feedback: string | null
}

/** A model that fails once in five calls, and counts the tokens of its answers. */
const modelChance = seededRandom(26)
const modelled = { calls: 0, input: 0, output: 0 }
const model = createServer((request, response) => {
  let text = ''
  request.on('data', (piece: Buffer) => (text += piece.toString()))
  request.on('end', () => {
    const fault = ['429', 'nonsense', 'never'][Math.floor(modelChance() * 15)]
    if (fault === 'never') return
    if (fault === '429') return void response.writeHead(429, { 'content-type': 'application/json' }).end('{}')
    if (fault === 'nonsense') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    const [input, output] = [100 + (text.length % 97), 5 + (text.length % 11)]
    modelled.calls++
    modelled.input += input
    modelled.output += output
    const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
    const content = 'It is in the first passage [1].'
    if (JSON.parse(text).stream === true) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (choices: unknown[], counted?: object): string =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'shown-1', choices, ...(counted && { usage: counted }) })}\n\n`
      response.write(chunk([{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }]))
      response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]))
      return void response.end(`${chunk([], usage)}data: [DONE]\n\n`)
    }
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'shown-1', choices, usage }))
  })
})
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
// A server that listens on TCP has a port.
const { port: modelPort } = model.address() as AddressInfo

const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-show-'))
const gate = await startLocalGate({
  stateDirectory,
  port: 20_000 + Math.floor(Math.random() * 20_000),
  entry: 'test/deep/show-worker.ts',
  vars: {
    LLM_BASE_URL: `http://127.0.0.1:${modelPort}/v1`,
    LLM_API_KEY: 'key',
    LLM_MODEL: 'shown-1',
    LLM_TIMEOUT_SECONDS: '10',
    STORE_QUESTIONS_DAYS: '7',
    PRICE_CURRENCY: 'EUR',
    PRICE_INPUT_PER_MILLION: String(PRICES.input),
    PRICE_OUTPUT_PER_MILLION: String(PRICES.output),
    PRICE_PER_RETRIEVAL: String(PRICES.retrieval),
  },
})
async function askAll(): Promise<Received[]> {
  const { name, documents, questions } = readSoakCorpus()
  const address = { url: gate.url, key: gate.adminToken }
  const keys = new Map<string, string>([['default', gate.adminToken]])
  for (const tenant of ['acme', 'globex']) {
    const body = { name: 'show', scopes: ['ask', 'ingest', 'admin'], tenant }
    keys.set(tenant, (await callGate<{ token: string }>(address, 'POST', '/v1/keys', body)).token)
  }
  for (const tenant of TENANTS) {
    const key = keys.get(tenant)!
    await ingest(gate.url, key, documents.slice(0, DOCUMENTS))
    await ingest(gate.url, key, documents.slice(0, 10), 'manual')
  }
  // A scale learned meanwhile would change the answers to repeated questions.
  for (const until = Date.now() + 60_000; Date.now() < until && sqlValue('SELECT count(scale) FROM collections') === 0;)
    await sleep(200)
  const random = seededRandom(20_261_127)
  // They are in the order of their documents.
  const asked = questions.slice(0, Math.ceil((questions.length * DOCUMENTS) / Math.max(DOCUMENTS, documents.length)))
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)]!
  const ledger: Received[] = []
  let sent = 0
  const connection = async (): Promise<void> => {
    while (sent < QUESTIONS) {
      const number = sent++
      if (number === Math.floor(QUESTIONS / 3))
        await callGate({ url: gate.url, key: keys.get('acme')! }, 'PUT', '/v1/policy', {
          policy: 'weighted-signals',
          why: 'A trial',
        })
      if (number === Math.floor(QUESTIONS / 2))
        await callGate({ url: gate.url, key: keys.get('acme')! }, 'PUT', '/v1/policy', { policy: null })
      const tenant = pick(TENANTS)
      const question = random() < 0.45 ? asked[Math.floor(random() ** 2 * POPULAR) * 7]! : pick(asked)
      const collection = random() < 0.2 ? 'manual' : 'default'
      ledger.push(await askOne(tenant, keys.get(tenant)!, question, collection, random(), random() < 0.2))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  const kinds = new Map<string, number>()
  for (const { status, code, decision, cache } of ledger) {
    const kind = `${status} ${decision === undefined ? code : `${decision['verdict']} ${cache}`}`
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  console.log(
    `${name}: ${QUESTIONS} questions; ${[...kinds]
      .sort(([, a], [, b]) => b - a)
      .map(([kind, n]) => `${n} ${kind}`)
      .join(', ')}`,
  )
  return ledger
}

/** Rates every twentieth answer. */
async function rate(ledger: readonly Received[]): Promise<void> {
  const rated = ledger.filter(({ feedback, status }) => feedback !== null && status === 200)
  for (const [at, { feedback, key }] of rated.filter((_, at) => at % 20 === 0).entries()) {
    await callGate({ url: gate.url, key }, 'POST', '/v1/feedback', {
      answer: feedback,
      rating: at % 4 === 0 ? 'wrong' : 'right',
    })
  }
}

/** @param chance below .05 the search fails; above .95 the question is invalid */
async function askOne(
  tenant: string,
  key: string,
  question: string,
  collection: string,
  chance: number,
  stream: boolean,
): Promise<Received> {
  const marks = ['zzhangs', 'zzbreaks']
  const mark = marks[Math.floor(chance * 40)]
  const isWrong = chance > 0.95
  const wrongs = [
    { token: 'no-such-token-0123456789abcdef0123456789abcdef', body: { question } },
    { token: key, body: { question, collection: 'nowhere' } },
    { token: key, body: { question: '' } },
    { token: key, body: { question, threshold: 0 } },
    { token: key, body: '{"question":' },
  ]
  const wrong = isWrong ? wrongs[Math.floor((chance - 0.95) * 100)]! : undefined
  const body = wrong?.body ?? { question: mark === undefined ? question : `${question} ${mark}`, collection, stream }
  const response = await fetch(`${gate.url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${wrong?.token ?? key}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const header = response.headers.get('rag-gate')
  const status = response.headers.get('cache-status') ?? ''
  const json = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    error?: { code: string }
    detail?: { confidence: number }
  }
  // A stream reports its failure in an event.
  const code = json.error?.code ?? /"error":\{[^}]*"code":"(\w+)"/.exec(text)?.[1]
  return {
    tenant,
    key,
    collection,
    status: response.status,
    code,
    decision: header === null ? undefined : parametersOf(header),
    cache: /detail=same-evidence/.test(status)
      ? 'evidence-hit'
      : /stale-if-error/.test(status)
        ? 'stale'
        : /; hit|; collapsed$|; collapsed;/.test(status)
          ? 'hit'
          : /fwd=(?:miss|stale)/.test(status)
            ? 'miss'
            : 'bypass',
    confidence: json.detail?.confidence,
    feedback: response.headers.get('rag-gate-feedback'),
  }
}

function parametersOf(header: string): Record<string, string> {
  const [verdict = '', ...rest] = header.split(';')
  return {
    verdict,
    ...Object.fromEntries(rest.map((each) => each.replaceAll('"', '').split('=', 2) as [string, string])),
  }
}

/** Rows of the Worker's own D1, read past the Worker. */
function sql<Row>(query: string): Row[] {
  const files = readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => /D1DatabaseObject.*\.sqlite$/.test(name) && !name.includes('metadata'))) {
    const database = new DatabaseSync(join(stateDirectory, file), { readOnly: true })
    try {
      if (database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'decisions'").get() === undefined) continue
      // Named as the query names its columns.
      return database.prepare(query).all() as Row[]
    } finally {
      database.close()
    }
  }
  throw new Error('The Worker has no database with decisions')
}

function sqlValue(query: string): number {
  return Number(Object.values(sql<Record<string, unknown>>(query)[0] ?? {})[0] ?? 0)
}

/** Waits until the reported decisions are stored, or no more arrive. */
async function recordedOf(ledger: readonly Received[]): Promise<void> {
  const told = ledger.filter(({ decision }) => decision !== undefined).length
  for (const until = Date.now() + 30_000; Date.now() < until && sqlValue('SELECT count(*) FROM decisions') < told;)
    await sleep(200)
  // Errors are buffered before they are written; reading statistics writes them.
  await callGate({ url: gate.url, key: gate.adminToken }, 'GET', '/v1/stats')
  await sleep(3_000)
}

interface StoredDecision {
  readonly id: string
  readonly tenant: string
  readonly collection: string
  readonly verdict: string
  readonly band: string
  readonly reason: string
  readonly policy: string
  readonly cache: string
  readonly status: number
  readonly confidence: number | null
}

function ledgerAgainstSql(ledger: readonly Received[]): void {
  const stored = new Map(
    sql<StoredDecision>(
      'SELECT id, tenant, collection, verdict, band, reason, policy_id AS policy, cache, status, confidence FROM decisions',
    ).map((row) => [row.id, row]),
  )
  const told = ledger.filter(({ decision }) => decision !== undefined)
  compare('decisions stored', stored.size, told.length)
  for (const { decision, ...received } of told) {
    const { id = '', verdict, band, reason, policy } = decision!
    const row = stored.get(id)
    const { tenant, collection, cache } = received
    // A failed stream has status 200 for its reader.
    const status = received.status === 200 && received.code !== undefined ? (row?.status ?? 0) : received.status
    compare(
      `decision ${id}`,
      row && [row.tenant, row.collection, row.verdict, row.band, row.reason, row.policy, row.cache, row.status],
      [
        tenant,
        collection,
        verdict,
        band,
        reason,
        policy,
        received.status >= 500 ? (row?.cache ?? cache) : cache,
        status,
      ],
    )
    if (received.code !== undefined) compare(`failure of ${id}`, (row?.status ?? 0) >= 500, true)
    if (received.confidence !== undefined)
      compare(`confidence of ${id}`, row?.confidence?.toFixed(9), received.confidence.toFixed(9))
  }
  const errors = new Map<string, number>()
  for (const { status, code } of ledger.filter(({ status }) => status >= 400)) {
    const kind = `${status} ${code}`
    errors.set(kind, (errors.get(kind) ?? 0) + 1)
  }
  const faults = sql<{ kind: string; n: number }>(
    `SELECT status || ' ' || code AS kind, sum(requests) AS n FROM request_faults GROUP BY kind ORDER BY kind`,
  )
  compare(
    'requests that failed',
    faults.map(({ kind, n }) => [kind, n]),
    [...errors].sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  const counted = sql<typeof modelled>(
    'SELECT count(model) AS calls, sum(input_tokens) AS input, sum(output_tokens) AS output FROM decisions WHERE model IS NOT NULL',
  )[0]!
  compare('calls and tokens of the model', { ...counted }, modelled)
}

// ---- The screen ----

const share = (part: number, whole: number): string => {
  if (whole === 0) return '–'
  const percent = (part / whole) * 100
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`
}
/** A figure from 0 to 1 as the page writes it, truncated and not rounded. */
const cut = (value: number | null): string => (value === null ? '–' : (Math.floor(value * 100 + 1e-9) / 100).toFixed(2))
const whole = (value: number): string => value.toLocaleString('en')
const digits = (text: string): number => Number(text.replaceAll(/[^\d.-]/g, ''))
const words = (code: string): string => {
  const text = code.replaceAll(/[-_]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
const CACHE_NAMES: Readonly<Record<string, string>> = {
  hit: 'Answered from the cache',
  'evidence-hit': 'Answered from the cache, by its evidence',
  miss: 'Not in the cache',
  stale: 'Sent past its lifetime',
  bypass: 'Cache passed over',
}
const FROM_CACHE = `cache IN ('hit', 'evidence-hit', 'stale')`

async function screenAgainstSql(): Promise<void> {
  const browser = await theBrowser()
  for (const [at, look] of LOOKS.entries()) {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    page.on('pageerror', (error) => differences.push(`the page: ${error.message}`))
    page.on('console', (message) => message.type() === 'error' && differences.push(`the page: ${message.text()}`))
    await page.goto(`${gate.url}/dashboard`)
    await page.getByLabel('Token or key').fill(gate.adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    // What is read must not be redrawn meanwhile.
    await page.locator('#refresh').uncheck()
    const before = compared
    for (const tenant of ['*', ...TENANTS]) {
      const name = `${look.colorScheme} ${look.viewport.width} ${tenant}`
      await overview(page, tenant, name)
      if (tenant !== '*') await otherViews(page, tenant, name, at === 0)
    }
    console.log(`${look.colorScheme}, ${look.viewport.width} wide: ${compared - before} figures and lists`)
    await context.close()
  }
  await browser.close()
}

async function open(page: Page, view: string, title: string, query: Readonly<Record<string, string>>): Promise<void> {
  const hash = `#/${view}?${new URLSearchParams(query)}`
  await page.evaluate((address) => {
    document.querySelector('main')!.setAttribute('data-shown', 'before')
    document.querySelector('h1')?.remove()
    location.hash = address
  }, hash)
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await page.locator('main:not([aria-busy])').waitFor()
}

/** Visible cells of a table's rows, by the table's caption. */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: caption, exact: true })
    .evaluateAll((tables) =>
      tables.flatMap((table) =>
        [...table.querySelectorAll('tbody tr')].map((row) =>
          [...row.children].map((cell) => (cell.checkVisibility() ? (cell.textContent ?? '') : '(unseen)')),
        ),
      ),
    )
}

interface Sums {
  readonly n: number
  readonly pass: number
  readonly advise: number
  readonly refuse: number
  readonly failed: number
  readonly cached: number
  readonly avoided: number
  readonly mean: number | null
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly by_refusal: number
  readonly by_cache: number
  readonly retrievals: number
  readonly known_calls: number
  readonly known_input: number
  readonly known_output: number
}

async function overview(page: Page, tenant: string, name: string): Promise<void> {
  await open(page, 'overview', 'Overview', { tenant })
  const where = tenant === '*' ? 'true' : `tenant = '${tenant}'`
  const measured = `saved ->> 'inputTokens' IS NOT NULL AND saved ->> 'estimated' IS NULL`
  const sums = sql<Sums>(`SELECT count(*) AS n, sum(verdict = 'pass') AS pass, sum(verdict = 'advise') AS advise,
    sum(verdict = 'refuse') AS refuse, sum(status >= 500) AS failed, sum(${FROM_CACHE}) AS cached, count(saved) AS avoided,
    avg(confidence) AS mean, count(model) AS calls, coalesce(sum(input_tokens), 0) AS input,
    coalesce(sum(output_tokens), 0) AS output, coalesce(sum(saved ->> 'by' = 'refusal'), 0) AS by_refusal,
    coalesce(sum(saved ->> 'by' = 'cache'), 0) AS by_cache,
    sum(cache IN ('miss', 'bypass', 'evidence-hit')) AS retrievals, coalesce(sum(${measured}), 0) AS known_calls,
    coalesce(sum(iif(${measured}, saved ->> 'inputTokens', 0)), 0) AS known_input,
    coalesce(sum(iif(${measured}, saved ->> 'outputTokens', 0)), 0) AS known_output
    FROM decisions WHERE ${where}`)[0]!
  const cost = (input: number, output: number): number => (input * PRICES.input + output * PRICES.output) / 1e6
  const spent = cost(sums.input, sums.output)
  const others = (sums.avoided - sums.known_calls) * (sums.calls === 0 ? 0 : spent / sums.calls)
  const saved = cost(sums.known_input, sums.known_output) + others - sums.retrievals * PRICES.retrieval

  const tiles = new Map(
    await page
      .locator('.tile')
      .evaluateAll((all) =>
        all.map((tile): [string, string[]] => [
          tile.querySelector('dt')!.textContent!,
          [...tile.querySelectorAll('strong, dd > span')].map((part) =>
            part.checkVisibility() ? part.textContent! : '(unseen)',
          ),
        ]),
      ),
  )
  const plural = (n: number, thing: string): string => `${whole(n)} ${thing}${n === 1 ? '' : 's'}`
  const tile = (title: string, expected: readonly string[]): void =>
    compare(`${name}: ${title}`, tiles.get(title)?.slice(0, expected.length), expected)
  tile('Decisions', [whole(sums.n), `${share(sums.pass, sums.n)} pass`])
  tile('Refused', [share(sums.refuse, sums.n), plural(sums.refuse, 'question')])
  tile('With a caution', [share(sums.advise, sums.n), plural(sums.advise, 'answer')])
  tile('Failed', [share(sums.failed, sums.n), `${plural(sums.failed, 'question')} judged, then an error`])
  tile('From the cache', [share(sums.cached, sums.n), plural(sums.cached, 'answer')])
  tile('Calls avoided', [whole(sums.avoided), `${share(sums.avoided, sums.n)} of all questions`])
  tile('Mean confidence', [cut(sums.mean)])
  compare(`${name}: Saved`, Math.abs(digits(tiles.get('Saved')?.[0] ?? '') - saved) < 0.006, true)
  compare(`${name}: spent`, Math.abs(digits(tiles.get('Saved')?.[1] ?? '') - spent) < 0.006, true)

  const counts = (column: string): [string, string][] =>
    sql<{ name: string; n: number }>(
      `SELECT ${column} AS name, count(*) AS n FROM decisions WHERE ${where} GROUP BY 1 ORDER BY n DESC, name`,
    ).map(({ name: each, n }) => [each, whole(n)])
  const bars = async (region: string): Promise<[string, string][]> =>
    page
      .getByRole('region', { name: region, exact: true })
      .locator('li')
      .evaluateAll((all) =>
        all.map((bar): [string, string] => [
          bar.querySelector('.name')!.textContent!,
          bar.querySelector('.number:not(.quiet)')!.textContent!,
        ]),
      )
  const sorted = (pairs: readonly [string, string][]): [string, string][] =>
    [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))
  compare(
    `${name}: Reasons`,
    sorted(await bars('Reasons')),
    sorted(counts('reason').map(([code, n]) => [words(code), n])),
  )
  compare(
    `${name}: Cache`,
    sorted(await bars('Cache')),
    sorted(counts('cache').map(([code, n]) => [CACHE_NAMES[code]!, n])),
  )

  for (const [caption, column] of [
    ['By policy', 'policy_id'],
    ['By collection', 'collection'],
    ['By tenant', 'tenant'],
  ] as const) {
    if (column === 'tenant' && tenant !== '*') continue
    const expected = sql<{ name: string; n: number; refused: number; mean: number | null }>(
      `SELECT ${column} AS name, count(*) AS n, sum(verdict = 'refuse') AS refused, avg(confidence) AS mean
       FROM decisions WHERE ${where} GROUP BY 1`,
    ).map(({ name: each, n, refused, mean }) => {
      const [short = '', hash] = each.split('@')
      return [hash === undefined ? short : `${short} ${hash.slice(0, 6)}`, whole(n), share(refused, n), cut(mean)]
    })
    compare(`${name}: ${caption}`, (await rowsOf(page, caption)).sort(), expected.sort())
  }
  compare(
    `${name}: Response times counted`,
    (await rowsOf(page, 'Response times')).map((row) => row[1]),
    [sums.n, sums.cached, sums.n - sums.cached].map(whole),
  )
  const times = sql<{ ms: number }>(`SELECT total_ms AS ms FROM decisions WHERE ${where} ORDER BY total_ms`)
  for (const [column, part] of [
    [2, 0.5],
    [3, 0.9],
    [4, 0.95],
  ] as const) {
    const shown = durationOf((await rowsOf(page, 'Response times'))[0]?.[column] ?? '')
    const near = [-1, 0, 1].map((off) => times[Math.ceil(part * times.length) - 1 + off]?.ms ?? 0)
    // Within 5 % of the exact value, and one digit less on screen.
    compare(
      `${name}: ${part} of responses within ${shown} ms, exactly ${near[1]}`,
      near.some((exact) => Math.abs(shown - exact) <= exact * 0.06 + 0.6),
      true,
    )
  }
  const spending = new Map((await rowsOf(page, 'What was not spent')).map(([what = '', much = '']) => [what, much]))
  compare(
    `${name}: What was not spent`,
    ['Refused before a model was asked', 'Spared by the cache', 'Model calls made'].map((what) => spending.get(what)),
    [sums.by_refusal, sums.by_cache, sums.calls].map(whole),
  )
  const hours = sql<{
    hour: string
    n: number
    pass: number
    advise: number
    refuse: number
    cached: number
    avoided: number
  }>(
    `SELECT strftime('%Y-%m-%d %H:00', at_ms / 1000, 'unixepoch') AS hour, count(*) AS n, sum(verdict = 'pass') AS pass,
     sum(verdict = 'advise') AS advise, sum(verdict = 'refuse') AS refuse, sum(${FROM_CACHE}) AS cached, count(saved) AS avoided
     FROM decisions WHERE ${where} GROUP BY hour ORDER BY hour`,
  )
  await page.locator('details[data-name=series]').evaluate((details) => details.setAttribute('open', ''))
  compare(
    `${name}: Over time`,
    (await rowsOf(page, 'Decisions over time')).map((row) => row.slice(0, 7)),
    hours.map(({ hour, n, pass, advise, refuse, cached, avoided }) => [
      hour,
      ...[n, pass, advise, refuse, cached, avoided].map(whole),
    ]),
  )
  const titles = (chart: string): Promise<string[]> =>
    page
      .locator(`.${chart} title`)
      .evaluateAll((all) =>
        all.map((title) => title.textContent!).filter((text) => !/: 0 pass, 0 advise, 0 refuse/.test(text)),
      )
  const bins = sql<{ bin: number; pass: number; advise: number; refuse: number }>(
    `SELECT min(19, CAST(confidence * 20 + 1e-9 AS INTEGER)) AS bin, sum(verdict = 'pass') AS pass, sum(verdict = 'advise') AS advise,
     sum(verdict = 'refuse') AS refuse FROM decisions WHERE ${where} AND confidence IS NOT NULL GROUP BY bin ORDER BY bin`,
  )
  compare(
    `${name}: Confidence`,
    await titles('histogram'),
    bins.map(
      ({ bin, pass, advise, refuse }) =>
        `${(bin / 20).toFixed(2)} to ${((bin + 1) / 20).toFixed(2)}: ${pass} pass, ${advise} advise, ${refuse} refuse`,
    ),
  )
  compare(
    `${name}: bars over time`,
    (await titles('series')).map((text) => text.replace(/^.*?: (?=\d+ pass)/, '')),
    hours.map(({ pass, advise, refuse }) => `${pass} pass, ${advise} advise, ${refuse} refuse`),
  )
  const faults = sql<{ route: string; status: number; code: string; n: number }>(
    'SELECT route, status, code, sum(requests) AS n FROM request_faults GROUP BY 1, 2, 3 ORDER BY n DESC, route, code',
  )
  const shownFaults = await rowsOf(page, 'Requests that ended with an error')
  compare(
    `${name}: Requests that ended with an error`,
    shownFaults.sort(),
    faults
      .slice(0, 10)
      .map(({ route, status, code, n }) => [route, words(code), String(status), whole(n)])
      .sort(),
  )
  compare(
    `${name}: Recording`,
    (await page.getByRole('region', { name: 'Recording' }).locator('p').innerText()).split(', from')[0],
    `Every decision is here: ${whole(sqlValue('SELECT count(*) FROM decisions'))} of all tenants`,
  )
}

function durationOf(text: string): number {
  const [value = '', unit = 'ms'] = text.split(' ')
  return Number(value) * ({ ms: 1, s: 1_000, min: 60_000, h: 3_600_000 }[unit] ?? NaN)
}

/** Expands a list until it is complete. */
async function showAll(more: Locator, list: Locator): Promise<void> {
  while (await more.isVisible()) {
    const before = await list.count()
    await more.click()
    for (const until = Date.now() + 20_000; Date.now() < until && (await list.count()) === before;) {
      if (!(await more.isVisible())) break
      await sleep(20)
    }
  }
}

async function otherViews(page: Page, tenant: string, name: string, isFirst: boolean): Promise<void> {
  const where = `tenant = '${tenant}'`
  const list = page.locator('.list tbody tr')
  const idsShown = (): Promise<string[]> =>
    page
      .locator('.list tbody th a')
      .evaluateAll((links) =>
        links.map((link) => /decisions\/([^?]+)/.exec(link.getAttribute('href') ?? '')?.[1] ?? ''),
      )
  const ids = (condition: string, limit = 1_000_000): string[] =>
    sql<{ id: string }>(
      `SELECT id FROM decisions WHERE ${where} AND ${condition} ORDER BY place DESC LIMIT ${limit}`,
    ).map(({ id }) => id)
  for (const [query, condition] of [
    [{}, 'true'],
    [{ verdict: 'refuse' }, `verdict = 'refuse'`],
    [{ outcome: 'failed' }, 'status >= 500'],
    [{ cache: 'hit' }, `cache = 'hit'`],
    [{ collection: 'manual', verdict: 'pass' }, `collection = 'manual' AND verdict = 'pass'`],
  ] as const) {
    await open(page, 'decisions', 'Decisions', { tenant, ...query })
    const expected = ids(condition)
    const more = page.getByRole('button', { name: 'Show more' })
    if (isFirst) await showAll(more, list)
    const shown = await idsShown()
    compare(`${name}: Decisions ${JSON.stringify(query)}`, shown, isFirst ? expected : expected.slice(0, shown.length))
    if (!isFirst) compare(`${name}: how many ${JSON.stringify(query)}`, shown.length, Math.min(50, expected.length))
  }
  await open(page, 'live', 'Live', { tenant })
  compare(`${name}: Live`, await idsShown(), ids('true', 20))

  await open(page, 'gaps', 'Content gaps', { tenant })
  const gaps = sql<{ text: string; collection: string; refused: number; advised: number }>(
    `SELECT text, collection, sum(verdict = 'refuse') AS refused, sum(verdict = 'advise') AS advised
     FROM decisions JOIN question_texts USING (tenant, question_hmac)
     WHERE ${where} GROUP BY question_hmac, collection HAVING refused > 0 ORDER BY refused DESC`,
  )
  const known = new Map(gaps.map((gap) => [`${gap.text} ${gap.collection}`, [whole(gap.refused), whole(gap.advised)]]))
  const shownGaps = await rowsOf(page, 'Questions refused most often')
  compare(
    `${name}: refusals of gaps`,
    shownGaps.map((row) => row[1]),
    gaps.slice(0, 50).map(({ refused }) => whole(refused)),
  )
  for (const [text = '', refused, advised, collection] of shownGaps) {
    compare(`${name}: gap ${text}`, [refused, advised], known.get(`${text} ${collection}`))
  }
  await open(page, 'documents', 'Documents', { tenant })
  const documents = new Map(
    sql<{ document: string; collection: string; n: number; refused: number; mean: number | null }>(
      `SELECT document_ids ->> 0 AS document, collection, count(*) AS n, sum(verdict = 'refuse') AS refused,
       avg(confidence) AS mean FROM decisions WHERE ${where} AND cache IN ('miss', 'bypass') AND document_ids ->> 0 IS NOT NULL
       GROUP BY 1, 2`,
    ).map(({ document, collection, n, refused, mean }) => [
      `${document} ${collection}`,
      [cut(mean), whole(n), share(refused, n)],
    ]),
  )
  const shownDocuments = await rowsOf(page, 'Documents by confidence')
  compare(`${name}: how many documents`, shownDocuments.length, Math.min(50, documents.size))
  for (const [document = '', mean, , , n, refused, collection] of shownDocuments) {
    const id = document.replace(/ (?:Consistently weak)?$/, '')
    compare(`${name}: document ${id}`, [mean, n, refused], documents.get(`${id} ${collection}`))
  }
  await open(page, 'feedback', 'Feedback', { tenant })
  const labels = sqlValue(`SELECT count(*) FROM feedback WHERE ${where}`)
  compare(`${name}: labels`, (await rowsOf(page, 'Latest labels')).length, Math.min(labels, 50))
  for (const [policy = '', refusals = '', answers = ''] of await rowsOf(page, 'Error rates by policy')) {
    const [short, hash] = policy.split(' ')
    const of = (condition: string): string => {
      const each = `decisions.${where} AND decisions.policy_id LIKE '${short}@${hash}%' AND decisions.verdict ${condition}`
      const rated = (rating: string): number =>
        sqlValue(
          `SELECT count(*) FROM feedback JOIN decisions ON decisions.id = feedback.event_id WHERE ${each} AND rating = '${rating}'`,
        )
      return `${rated('right')} right, ${rated('wrong')} wrong, of ${whole(sqlValue(`SELECT count(*) FROM decisions WHERE ${each}`))}`
    }
    compare(`${name}: feedback on ${policy}`, [refusals, answers], [of(`= 'refuse'`), of(`<> 'refuse'`)])
  }
  await open(page, 'feedback', 'Feedback', { tenant, collection: 'manual' })
  const ofManual = sqlValue(`SELECT count(*) FROM feedback WHERE ${where} AND collection = 'manual'`)
  compare(`${name}: labels of a collection`, (await rowsOf(page, 'Latest labels')).length, Math.min(ofManual, 50))
  await open(page, 'policies', 'Policies', { tenant })
  for (const [, id = '', , n, refused] of await rowsOf(page, 'Policies')) {
    const [{ all, refuse }] = sql<{ all: number; refuse: number }>(
      `SELECT count(*) AS "all", coalesce(sum(verdict = 'refuse'), 0) AS refuse FROM decisions WHERE ${where} AND policy_id = '${id}'`,
    ) as [{ all: number; refuse: number }]
    compare(`${name}: policy ${id}`, [n, refused], [whole(all), share(refuse, all)])
  }
}

const startedMs = Date.now()
try {
  const ledger = await askAll()
  await recordedOf(ledger)
  await rate(ledger)
  ledgerAgainstSql(ledger)
  await screenAgainstSql()
} finally {
  await gate.stop()
  model.closeAllConnections()
  model.close()
  rmSync(stateDirectory, { recursive: true, force: true })
}
console.log(
  `${compared} comparisons, ${differences.length} differences, ${Math.round((Date.now() - startedMs) / 1000)} s`,
)
for (const difference of differences.slice(0, 40)) console.log(`✗ ${difference}`)
process.exit(differences.length === 0 ? 0 : 1)
