/**
 * `npm run start:index`: runs the vector indexes locally, each with a URL and a token for `@upstash/vector`.
 *
 *   npm run start:index [-- indexes.json]
 *
 * The file has settings by index name; without one there is a single hybrid index. PORT sets the first port to try;
 * VECTOR_INDEX_HOME the folder for state and tokens.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LocalIndex, startLocalIndex } from './local-index.ts'
import { portFromEnvironment, refuseArguments, ROOT, serveUntilStopped } from './local-gate.ts'

const [file, ...others] = process.argv.slice(2)
refuseArguments(file?.startsWith('-') ? [file] : others)
const port = portFromEnvironment(8788)
const stateDirectory = process.env['VECTOR_INDEX_HOME'] ?? join(ROOT, '.wrangler', 'index')

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

function settingsIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (thrown) {
    return fail(`${path} cannot be read as JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

function whatToTry({ url, tokens }: LocalIndex): string {
  const [[name, token] = ['', '']] = tokens
  const list = Array.from(tokens, ([index, secret]) => `  ${url}/indexes/${index}    token ${secret}`)
  return `The vector indexes are up (Ctrl-C stops them):

${list.join('\n')}

Each token also works at ${url} alone. Try next:

  curl ${url}/indexes/${name}/info -H 'authorization: Bearer ${token}'

  import { Index } from '@upstash/vector'
  const index = new Index({ url: '${url}/indexes/${name}', token: '${token}' })

docs/vector-index.md says what an index can be and how to move to the real service.`
}

const indexes = file === undefined ? undefined : settingsIn(file)
const starting = startLocalIndex({ stateDirectory, port, ...(indexes !== undefined && { indexes }) })
await serveUntilStopped(starting, (index) => console.log(whatToTry(index)))
