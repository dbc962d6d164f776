/**
 * `npm run deploy`: deploys the ready Worker to Cloudflare, with its database, migrations and secrets.
 *
 *   npm run deploy -- [--dry-run] [--generate-secrets]
 *
 * wrangler creates the resources in wrangler.toml that the account lacks. It prompts for missing secrets; without a
 * terminal, as in a build service, they must be set there. `--generate-secrets` generates them without a prompt.
 * `--dry-run` bundles and prints what would be done, without account or network.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import {
  deployGate,
  DeploymentError,
  deploymentReport,
  type DeploymentSettings,
  type DeploymentTools,
  type Ran,
  SECRETS,
} from './deployment.ts'
import { ROOT } from './local-gate.ts'

const WRANGLER = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
const KNOWN = ['--dry-run', '--generate-secrets', '--help']

const given = process.argv.slice(2)
const unknown = given.filter((option) => !KNOWN.includes(option))
if (unknown.length > 0 || given.includes('--help')) {
  console.log('Usage: npm run deploy -- [--dry-run] [--generate-secrets]')
  process.exit(unknown.length > 0 ? 2 : 0)
}

const scratch = mkdtempSync(join(tmpdir(), 'hono-rag-gate-deploy-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
try {
  const settings = await readSettings(given.includes('--generate-secrets'))
  if (given.includes('--dry-run')) await rehearse(settings)
  else await deployAndReport(settings)
} catch (thrown) {
  if (!(thrown instanceof DeploymentError)) throw thrown
  console.error(thrown.message)
  process.exitCode = 1
}

async function readSettings(generate: boolean): Promise<DeploymentSettings> {
  // Imported only here, because it takes 1.5 seconds to load.
  const { unstable_readConfig } = await import('wrangler')
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
  // wrangler's types need packages that are not installed; this is the documented format of the file.
  const databases = config.d1_databases as readonly { readonly binding: string; readonly database_name?: string }[]
  const database = databases.find(({ binding }) => binding === 'DB')?.database_name
  if (config.name === undefined || database === undefined) {
    throw new DeploymentError('wrangler.toml must name the Worker, and a database_name for the binding DB')
  }
  return { worker: String(config.name), database, generate }
}

/** Bundles without uploading, and prints what a deployment would do. */
async function rehearse({ worker, database }: DeploymentSettings): Promise<void> {
  const { ok, output } = await wranglerRun(['deploy', '--dry-run', '--minify', '--outdir', scratch], 'captured', {
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
  })
  if (!ok) throw new DeploymentError(`The Worker could not be bundled:\n${output}`)
  const migrations = readdirSync(join(ROOT, 'd1', 'migrations')).filter((name) => name.endsWith('.sql'))
  console.log(output.trim())
  console.log(`
A deployment would:
  1. ask for the secrets that the Worker does not have: ${SECRETS.map(({ name }) => name).join(', ')}
  2. apply those of ${migrations.length} migrations that are new: ${migrations.join(', ')}
  3. upload the Worker ${worker} with its page, and create what wrangler.toml binds and the account lacks
Where the account has no D1 database ${database}, the upload creates it, and the migrations follow.`)
}

async function deployAndReport(settings: DeploymentSettings): Promise<void> {
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined
  const tools: DeploymentTools = {
    read: (...args) => wranglerRun(args, 'captured'),
    run: (...args) => wranglerRun(args, 'terminal'),
    deploy: uploadWith,
    ask: terminal === undefined ? undefined : (question) => terminal.question(question),
    say: (line) => console.log(line),
  }
  try {
    const made = await deployGate(settings, tools)
    console.log(`\n${deploymentReport(made, settings)}`)
  } finally {
    terminal?.close()
  }
}

/** Uploads the Worker. Secrets are passed in a file that only its owner can read, and that is deleted afterwards. */
async function uploadWith(secrets: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const log = join(scratch, 'output.json')
  const file = join(scratch, 'secrets.json')
  const args = ['deploy', '--minify']
  if (Object.keys(secrets).length > 0) {
    writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 })
    args.push('--secrets-file', file)
  }
  const { ok } = await wranglerRun(args, 'terminal', { WRANGLER_OUTPUT_FILE_PATH: log })
  rmSync(file, { force: true })
  if (!ok) throw new DeploymentError('The Worker was not uploaded')
  return (
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        // wrangler's output log, one JSON object per line.
        const entry = JSON.parse(line) as { type: string; targets?: readonly string[] }
        return entry.type === 'deploy' ? (entry.targets ?? []) : []
      })
      // Besides URLs, such as `name.workers.dev` or `example.com/* (zone: example.com)`, it lists cron triggers.
      .filter((target) => /^(https:\/\/)?[\w*-]+\.[\w.-]+/.test(target))
      .map((target) => `https://${target.replace('https://', '').split(/[ *]/)[0]}`)
  )
}

function wranglerRun(
  args: readonly string[],
  output: 'captured' | 'terminal',
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_HIDE_BANNER: 'true', ...env },
    stdio: output === 'terminal' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout?.on('data', (piece: Buffer) => (text += piece.toString()))
  child.stderr?.on('data', (piece: Buffer) => (text += piece.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ ok: code === 0, output: text }))
  })
}
