import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deployGate, type DeploymentTools, SECRETS } from '../../scripts/deployment.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { ACCOUNT, type CloudflareAccount, startCloudflareApi } from './cloudflare-api.ts'
import { DEEP } from '../deep-run.ts'

let account: CloudflareAccount
beforeAll(async () => {
  account = await startCloudflareApi()
})
afterAll(() => account.close())

/** Runs `npm run deploy` against the account, without a terminal. */
function deploy(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  account.calls.length = 0
  const child = spawn('npm', ['run', '--silent', 'deploy', '--', ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      CI: 'true',
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_API_BASE_URL: account.url,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

const UPLOAD = 'PUT /workers/scripts/hono-rag-gate'
const isQuery = (call: string): boolean => call.endsWith('/query')

describe('npm run deploy', { timeout: 180_000 }, () => {
  test.runIf(DEEP)('with --dry-run bundles, prints its steps, and calls no account', async () => {
    const { code, output } = await deploy('--dry-run')
    expect(output).toContain('no D1 database hono-rag-gate, the upload creates it')
    expect(output).toContain('0001_tables.sql')
    expect(output).toContain('ADMIN_TOKEN, QUESTION_HMAC_KEY')
    expect(output).toMatch(/Total Upload: .* gzip: /)
    expect(code).toBe(0)
    expect(account.calls).toEqual([])
  })

  test.runIf(DEEP)(
    'creates the database, uploads with secrets, applies the migrations, and reports what it created',
    async () => {
      const { code, output } = await deploy('--generate-secrets')
      expect(account.unexpected).toEqual([])
      expect(code, output).toBe(0)
      const id = account.databases.get('hono-rag-gate')
      expect(account.upload?.bindings).toContainEqual({ name: 'DB', type: 'd1', id })
      for (const { name, shown } of SECRETS) {
        const value = String(account.upload?.bindings.find((binding) => binding.name === name)?.['text'])
        expect(value).toMatch(/^[\w-]{43}$/)
        expect(output.split(value)).toHaveLength(shown ? 2 : 1)
      }
      expect(account.calls.indexOf(UPLOAD)).toBeGreaterThan(0)
      expect(account.calls.indexOf(UPLOAD)).toBeLessThan(account.calls.findIndex(isQuery))
      expect(account.queries.join()).toContain('CREATE TABLE `collections`')
      expect(output).toContain('database   hono-rag-gate (created, migrations applied)')
      expect(output).toContain('curl https://hono-rag-gate.someone.workers.dev/health')
      expect(output.match(/^ {2}address .*$/gm)).toEqual(['  address    https://hono-rag-gate.someone.workers.dev'])
    },
  )

  test.runIf(DEEP)('a second time migrates before it uploads, and keeps database and secrets', async () => {
    const { code, output } = await deploy('--generate-secrets')
    expect(account.unexpected).toEqual([])
    expect(code, output).toBe(0)
    expect(account.calls).not.toContain('POST /d1/database')
    expect(account.calls.findIndex(isQuery)).toBeLessThan(account.calls.indexOf(UPLOAD))
    expect(account.upload?.bindings.filter(({ type }) => type === 'secret_text')).toEqual([])
    expect(output).toContain('No migrations to apply')
    expect(output).toContain('database   hono-rag-gate (was there, migrations applied)')
  })

  test('rejects unknown options', async () => {
    const { code, output } = await deploy('--dryrun')
    expect(code).toBe(2)
    expect(output).toContain('Usage: npm run deploy')
    expect(account.calls).toEqual([])
  })
})

describe('the secrets of a deployment', () => {
  const settings = { worker: 'gate', database: 'gate', generate: false }

  /** Tools around an account with a database and one secret, and answers for what is asked. */
  function toolsWith(answers: string[] | undefined, has = 'LLM_API_KEY') {
    const uploaded: Record<string, string>[] = []
    const steps: string[] = []
    const tools: DeploymentTools = {
      read: (...args) => {
        const known = { 'd1 list': '[{"name":"gate"}]', 'secret list': `a note\n[{"name":"${has}"}]` }
        // Another command has no answer here.
        const output = known[args.slice(0, 2).join(' ') as keyof typeof known]
        if (output === undefined) throw new Error(`unexpected: ${args.join(' ')}`)
        return Promise.resolve({ ok: true, output })
      },
      run: (...args) => {
        steps.push(args.join(' '))
        return Promise.resolve({ ok: !steps.includes('fail'), output: '' })
      },
      deploy: (secrets) => {
        steps.push('upload')
        uploaded.push({ ...secrets })
        return Promise.resolve(['https://gate.example'])
      },
      ask: answers === undefined ? undefined : () => Promise.resolve(answers.shift() ?? 'nothing left to answer'),
      say: () => undefined,
    }
    return { tools, uploaded, steps }
  }

  test('are asked for only if the Worker lacks them, again while too short, and skipped with a dash', async () => {
    const own = 'my-own-token-of-thirty-two-characters-and-more'
    const { tools, uploaded } = toolsWith(['short', own, '-'])
    const made = await deployGate(settings, tools)
    expect(uploaded).toEqual([{ ADMIN_TOKEN: own }])
    expect(made).toMatchObject({ secrets: ['ADMIN_TOKEN'], missing: ['QUESTION_HMAC_KEY'], databaseCreated: false })
  })

  test('are asked for again, with the reason, when the Worker would reject them', async () => {
    const own = 'my-own-token-of-thirty-two-characters-and-more'
    const { tools, uploaded } = toolsWith([
      'a pass phrase of more than enough characters',
      own,
      own,
      `${own} and a key`,
    ])
    const said: string[] = []
    await deployGate(settings, { ...tools, say: (line) => void said.push(line) })
    expect(uploaded).toEqual([{ ADMIN_TOKEN: own, QUESTION_HMAC_KEY: `${own} and a key` }])
    expect(said).toEqual([
      expect.stringContaining('ADMIN_TOKEN must be letters, digits and'),
      '  QUESTION_HMAC_KEY is equal to another secret.',
      `ADMIN_TOKEN=${own}`,
    ])
  })

  test('that the Worker has are not asked for', async () => {
    const { tools, uploaded } = toolsWith(['-'], 'ADMIN_TOKEN')
    expect((await deployGate(settings, tools)).missing).toEqual(['QUESTION_HMAC_KEY'])
    expect(uploaded).toEqual([{}])
  })

  test('are generated for an empty input', async () => {
    const { tools, uploaded } = toolsWith(['', ''])
    await deployGate(settings, tools)
    expect(uploaded[0]).toEqual({
      ADMIN_TOKEN: expect.stringMatching(/^[\w-]{43}$/),
      QUESTION_HMAC_KEY: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  test('are left unset without a terminal', async () => {
    const { tools, uploaded } = toolsWith(undefined)
    expect((await deployGate(settings, tools)).missing).toEqual(['ADMIN_TOKEN', 'QUESTION_HMAC_KEY'])
    expect(uploaded).toEqual([{}])
  })

  test('are not uploaded, like the code, when the migrations fail', async () => {
    const { tools, steps } = toolsWith(['', ''])
    steps.push('fail')
    await expect(deployGate(settings, tools)).rejects.toThrow('The migrations were not applied')
    expect(steps).not.toContain('upload')
  })
})
