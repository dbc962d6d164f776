/** A real browser for the end-to-end tests, from wherever there is one. */
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Quiet, and nothing that reaches for the network by itself. */
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
 * Left out of the packaged browser's own arguments: some switch off what these tests are about, and one process for
 * everything dies with the first context that is closed.
 */
const UNWANTED = new Set([
  '--allow-running-insecure-content',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--single-process',
])

/** A browser, and how to be rid of it and of what it unpacked. */
export interface LaunchedBrowser {
  readonly browser: Browser
  readonly name: string
  close(): Promise<void>
}

/**
 * Launches the first browser that works: `CHROMIUM_PATH`, then the one that npm brought, then the system's.
 *
 * @throws with what each of them said, when none works
 */
export async function launchBrowser(): Promise<LaunchedBrowser> {
  const candidates = [
    { name: 'CHROMIUM_PATH', launch: async () => launchInstalled(process.env['CHROMIUM_PATH']) },
    { name: '@sparticuz/chromium', launch: launchPackaged },
    { name: '/usr/bin/chromium', launch: async () => launchInstalled('/usr/bin/chromium') },
  ]
  const failures: string[] = []
  for (const { name, launch } of candidates) {
    try {
      return { name, ...(await launch()) }
    } catch (thrown) {
      failures.push(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  throw new Error(`No browser could be launched. Set CHROMIUM_PATH to a Chromium.\n\n${failures.join('\n\n')}`)
}

type Launched = Omit<LaunchedBrowser, 'name'>

async function launchInstalled(executablePath: string | undefined): Promise<Launched> {
  if (executablePath === undefined || executablePath === '') throw new Error('not set')
  if (!existsSync(executablePath)) throw new Error('there is no such file')
  const browser = await chromium.launch({ executablePath, args: QUIET })
  return { browser, close: () => browser.close() }
}

/** The packaged browser unpacks itself, and the libraries it needs, into TMPDIR: a folder of its own for each run. */
async function launchPackaged(): Promise<Launched> {
  const directory = await mkdtemp(join(tmpdir(), 'rag-gate-browser-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 3 })
  // Also when the tests are stopped half-way: it is over 200 MB.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const before = { ...process.env }
  try {
    // It looks at these when it is imported, to know whether to unpack its libraries and where.
    process.env['TMPDIR'] = directory
    process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x'
    const { default: packaged, setupLambdaEnvironment } = await import('@sparticuz/chromium')
    // It does this itself when it is imported, that is for the first launch only.
    setupLambdaEnvironment(join(directory, 'al2023', 'lib'))
    packaged.setGraphicsMode = false
    const executablePath = await packaged.executablePath()
    const fonts = join(directory, 'fonts.conf')
    await writeFile(fonts, fontconfig(directory))
    const browser = await chromium.launch({
      executablePath,
      args: [...packaged.args.filter((arg) => !UNWANTED.has(arg)), ...QUIET],
      env: { ...definedOf(process.env), HOME: directory, FONTCONFIG_FILE: fonts },
    })
    return {
      browser,
      close: async () => {
        await browser.close()
        await remove()
      },
    }
  } catch (thrown) {
    await remove()
    throw thrown
  } finally {
    restore(before)
  }
}

/** The package's own configuration names `/tmp/fonts`, wherever it unpacked them; a page without fonts shows no text. */
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

/** What the browser needed of the environment is not for the processes started after it. */
function restore(before: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
}
