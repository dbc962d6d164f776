/**
 * The steps of a deployment: which database, migrations and secrets, in which order. Running wrangler, prompting and
 * printing are parameters, so that the order can be tested without an account.
 */
import { randomBytes } from 'node:crypto'
import { settingProblems } from '../workers/gate/settings.ts'

/** A secret of the Worker. */
export interface Secret {
  readonly name: string
  /** Its purpose, in one clause. */
  readonly purpose: string
  /** Whether its owner needs to know it; others are generated without being shown. */
  readonly shown: boolean
}

/** Secrets that a deployment asks for if the Worker lacks them. */
export const SECRETS: readonly Secret[] = [
  { name: 'ADMIN_TOKEN', purpose: 'token for documents, keys, statistics and the operator view', shown: true },
  { name: 'QUESTION_HMAC_KEY', purpose: 'key under which questions are recorded, as an HMAC', shown: false },
]

/** Result of a wrangler command. */
export interface Ran {
  readonly ok: boolean
  /** Its output, if captured. */
  readonly output: string
}

/** Tools for the steps. */
export interface DeploymentTools {
  /** Runs wrangler and captures its output. */
  readonly read: (...args: string[]) => Promise<Ran>
  /** Runs wrangler in the terminal. */
  readonly run: (...args: string[]) => Promise<Ran>
  /** Deploys with these secrets, in addition to those that the Worker has. @returns the Worker's URLs */
  readonly deploy: (secrets: Readonly<Record<string, string>>) => Promise<readonly string[]>
  /** Prompts a person; `undefined` without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly say: (line: string) => void
}

/** Settings of a deployment. */
export interface DeploymentSettings {
  readonly worker: string
  readonly database: string
  /** Generates every missing secret without a prompt. */
  readonly generate: boolean
}

/** Result of a deployment. */
export interface Deployment {
  readonly addresses: readonly string[]
  readonly databaseCreated: boolean
  /** Names of the secrets that were set. */
  readonly secrets: readonly string[]
  /** Names of the secrets that are still missing. */
  readonly missing: readonly string[]
}

/** A failed deployment, with the remedy. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
}

/**
 * Deploys: with an existing database migrations run before the upload, with a new one after it.
 *
 * @throws `DeploymentError` if a step fails; earlier steps are not undone
 */
export async function deployGate(settings: DeploymentSettings, tools: DeploymentTools): Promise<Deployment> {
  const { worker, database } = settings
  const databaseCreated = !(await databaseNames(tools)).includes(database)
  const known = await secretNames(worker, tools)
  const { values, missing } = await chooseSecrets(
    SECRETS.filter(({ name }) => !known.includes(name)),
    settings.generate,
    tools,
  )
  // Before the upload: if that is interrupted, the secrets may be set without having been shown.
  for (const { name, shown } of SECRETS) if (shown && values[name] !== undefined) tools.say(`${name}=${values[name]}`)
  if (!databaseCreated) await migrate(tools)
  const addresses = await tools.deploy(values)
  if (databaseCreated) await migrate(tools)
  return { addresses, databaseCreated, secrets: Object.keys(values), missing }
}

async function databaseNames({ read }: DeploymentTools): Promise<readonly string[]> {
  const { ok, output } = await read('d1', 'list', '--json')
  if (!ok) throw new DeploymentError(`The databases of the account cannot be listed:\n${output}`)
  // The documented format of `--json`.
  return (jsonIn(output) as readonly { name: string }[]).map(({ name }) => name)
}

/** Names of the Worker's secrets; empty if it was never deployed. */
async function secretNames(worker: string, { read }: DeploymentTools): Promise<readonly string[]> {
  const { ok, output } = await read('secret', 'list', '--name', worker, '--format', 'json')
  if (ok) return (jsonIn(output) as readonly { name: string }[]).map(({ name }) => name)
  // 10007 is the API's error code for a Worker that does not exist.
  if (/10007|does not exist|not found/i.test(output)) return []
  throw new DeploymentError(`The secrets of ${worker} cannot be listed:\n${output}`)
}

async function chooseSecrets(
  wanted: readonly Secret[],
  generate: boolean,
  { ask, say }: DeploymentTools,
): Promise<{ readonly values: Record<string, string>; readonly missing: readonly string[] }> {
  const values: Record<string, string> = {}
  const missing: string[] = []
  for (const { name, purpose } of wanted) {
    const value = await chooseSecret(name, purpose)
    if (value === undefined) missing.push(name)
    else values[name] = value
  }
  return { values, missing }

  async function chooseSecret(name: string, purpose: string): Promise<string | undefined> {
    if (generate) return newSecret()
    if (ask === undefined) return undefined
    for (;;) {
      const answer = (await ask(`${name}: ${purpose}.\n  Enter makes one, "-" leaves it out, or type it: `)).trim()
      if (answer === '') return newSecret()
      if (answer === '-') return undefined
      const [problem] = settingProblems({ ...values, [name]: answer })
      if (problem === undefined) return answer
      say(`  ${problem.message}.`)
    }
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

async function migrate({ run }: DeploymentTools): Promise<void> {
  const { ok } = await run('d1', 'migrations', 'apply', 'DB', '--remote')
  if (!ok) throw new DeploymentError('The migrations were not applied; run npm run deploy again when that is solved')
}

/** The JSON in a command's output, which wrangler may precede with other lines. */
function jsonIn(output: string): unknown {
  const start = output.search(/^[[{]/m)
  try {
    return JSON.parse(output.slice(Math.max(0, start)))
  } catch (thrown) {
    throw new DeploymentError(`wrangler printed something that is not JSON:\n${output}`, { cause: thrown })
  }
}

/** The report for the terminal. */
export function deploymentReport(made: Deployment, { worker, database }: DeploymentSettings): string {
  const { addresses, databaseCreated, secrets, missing } = made
  const [address = 'https://<your-worker>'] = addresses
  const lines = [
    `Deployed: ${worker}`,
    ...addresses.map((url) => `  address    ${url}`),
    `  database   ${database} (${databaseCreated ? 'created' : 'was there'}, migrations applied)`,
    ...SECRETS.filter(({ name }) => secrets.includes(name)).map(({ name, shown }) =>
      shown ? `  secret     ${name}, shown above this once: keep it` : `  secret     ${name}, which need not be known`,
    ),
    ...missing.map((name) => `  missing    ${name}: npx wrangler secret put ${name}, or deploy again`),
    '',
    `Try next:`,
    `  curl ${address}/health`,
    `  RAG_GATE_URL=${address} RAG_GATE_KEY=$ADMIN_TOKEN npm run rag-gate -- ingest docs`,
  ]
  return lines.join('\n')
}
