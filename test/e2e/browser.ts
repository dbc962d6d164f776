/** A real browser for the end-to-end tests, whichever is available. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { ROOT } from '../../scripts/local-gate.ts'

const PACKAGE = join(ROOT, 'node_modules', '@sparticuz', 'chromium')

/** Quiet, and without network requests of its own. */
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Left out of the packaged browser's own arguments: some switch off what these tests are about, one process for
 * everything dies with the first context that is closed, and without a zygote each page loads the browser anew.
 */
const UNWANTED = new Set([
  '--allow-running-insecure-content',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--single-process',
  '--no-zygote',
])

let shared: Promise<Browser> | undefined

/**
 * The browser of this process, launched for the first file that asks, and closed with the process: to unpack and start one takes
 * seconds. It is the first that works: `CHROMIUM_PATH`, then the one that npm brought, then the system's.
 *
 * @throws with what each of them said, when none works
 */
export function theBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser())
}

async function launchBrowser(): Promise<Browser> {
  const candidates = [
    { name: 'CHROMIUM_PATH', launch: async () => launchInstalled(process.env['CHROMIUM_PATH']) },
    { name: '@sparticuz/chromium', launch: launchPackaged },
    { name: '/usr/bin/chromium', launch: async () => launchInstalled('/usr/bin/chromium') },
  ]
  const failures: string[] = []
  for (const { name, launch } of candidates) {
    try {
      return await launch()
    } catch (thrown) {
      failures.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  throw new Error(`No browser could be launched. Set CHROMIUM_PATH to a Chromium.\n\n${failures.join('\n\n')}`)
}

async function launchInstalled(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined || executablePath === '') throw new Error('not set')
  if (!existsSync(executablePath)) throw new Error('there is no such file')
  return chromium.launch({ executablePath, args: QUIET })
}

/**
 * The packaged browser unpacks itself, and the libraries it needs, into TMPDIR: 200 MB and some seconds of work, done once for
 * each version.
 */
async function launchPackaged(): Promise<Browser> {
  const { default: packaged, setupLambdaEnvironment } = await import('@sparticuz/chromium')
  packaged.setGraphicsMode = false
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const directory = join(ROOT, 'node_modules', '.cache', 'hono-rag-gate', `chromium-${version}`)
  if (!existsSync(directory)) await unpack(directory, () => packaged.executablePath())
  const before = { ...process.env }
  try {
    setupLambdaEnvironment(join(directory, 'al2023', 'lib'))
    return await chromium.launch({
      executablePath: join(directory, 'chromium'),
      args: [...packaged.args.filter((arg) => !UNWANTED.has(arg)), ...QUIET],
      env: { ...definedOf(process.env), HOME: directory, FONTCONFIG_FILE: join(directory, 'fonts.conf') },
    })
  } finally {
    restore(before)
  }
}

async function unpack(directory: string, unpackIntoTmpdir: () => Promise<string>): Promise<void> {
  const unfinished = `${directory}-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  const before = { ...process.env }
  try {
    // It checks these to decide where to unpack, and whether its libraries are needed.
    process.env['TMPDIR'] = unfinished
    process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x'
    await unpackIntoTmpdir()
    writeFileSync(join(unfinished, 'fonts.conf'), fontconfig(directory))
    renameSync(unfinished, directory)
  } catch (thrown) {
    rmSync(unfinished, { recursive: true, force: true })
    // If two processes do this at once, the first one's copy stays.
    if (!existsSync(directory)) throw thrown
  } finally {
    restore(before)
  }
}

/** The package's own configuration names `/tmp/fonts`, wherever it unpacked them; without fonts a page shows no text. */
function fontconfig(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${directory}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${directory}/fontconfig</cachedir>
</fontconfig>
`
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** The browser's environment variables are not for processes started later. */
function restore(before: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
}
