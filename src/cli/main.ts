#!/usr/bin/env node
/** `rag-gate`: reads the command line and hands it to a command. */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { CommandError, misused } from './command-error.ts'
import type { GateAddress } from './gate-client.ts'
import { ingestCommand } from './ingest.ts'
import { type KeysAction, keysCommand } from './keys.ts'
import { LEXICON_HELP, lexiconCommand } from './lexicon.ts'
import { queryCommand } from './query.ts'
import { printable, type Terminal } from './terminal.ts'

const HELP = `rag-gate: documents into a confidence gate, questions to it, and keys for it

  rag-gate ingest <file or folder> [--collection <id>] [--prune]
      Markdown, text, HTML and JSONL. Run again, it sends only what changed.
      --prune removes documents that the folder does not have any more.
  rag-gate query "<question>" [--collection <id>] [--debug] [--search-mode dense|sparse|hybrid]
      --debug shows what the gate saw; it and --search-mode need the scope admin.
  rag-gate keys make --name <name> --scopes ask,ingest,admin [--tenant <id>] [--expires <ISO 8601>]
  rag-gate keys list [--tenant <id>]
  rag-gate keys revoke <key id> [--tenant <id>]
${LEXICON_HELP}

Everywhere
  --url <address>   where the gate is; RAG_GATE_URL, else http://127.0.0.1:8787
  --key <token>     token or key; better in RAG_GATE_KEY, where no process list shows it
  --json            results as JSON

Exit codes: 0 done, 1 failed, 2 called wrongly`

const COMMON = { url: { type: 'string' }, key: { type: 'string' }, json: { type: 'boolean', default: false } } as const
const COLLECTION = { collection: { type: 'string' } } as const

/**
 * Runs a command.
 *
 * @param given what stands after the name of the program
 * @returns the exit code: 0 done, 1 failed, 2 called wrongly
 */
export async function runCommand(given: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const [name, ...rest] = given
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
      terminal.out(HELP)
      return name === undefined ? 2 : 0
    }
    switch (name) {
      case 'ingest':
        return await ingestFrom(rest, terminal)
      case 'query':
        return await queryFrom(rest, terminal)
      case 'keys':
        return await keysFrom(rest, terminal)
      case 'lexicon':
        return await lexiconCommand(rest, terminal)
      default:
        throw misused(`There is no command ${name}; rag-gate --help lists them`)
    }
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    terminal.notes.write(`rag-gate: ${printable(thrown.message)}\n`)
    return thrown.exitCode
  }
}

async function ingestFrom(given: readonly string[], terminal: Terminal): Promise<number> {
  const options = { ...COMMON, ...COLLECTION, prune: { type: 'boolean', default: false } } as const
  const { values, positionals } = read(given, options)
  const path = only(positionals, 'a file or folder')
  const { collection = 'default', prune, json } = values
  return ingestCommand(addressOf(values, terminal), { path, collection, prune, json }, terminal)
}

async function queryFrom(given: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = read(given, {
    ...COMMON,
    ...COLLECTION,
    debug: { type: 'boolean', default: false },
    'search-mode': { type: 'string' },
  } as const)
  const question = only(positionals, 'a question, in quotation marks')
  const { collection, debug, json, 'search-mode': searchMode } = values
  if (searchMode !== undefined && searchMode !== 'dense' && searchMode !== 'sparse' && searchMode !== 'hybrid') {
    throw misused('--search-mode must be dense, sparse or hybrid')
  }
  return queryCommand(
    addressOf(values, terminal),
    {
      question,
      debug,
      json,
      ...(collection === undefined ? {} : { collection }),
      ...(searchMode === undefined ? {} : { searchMode }),
    },
    terminal,
  )
}

async function keysFrom([action, ...given]: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = read(given, {
    ...COMMON,
    tenant: { type: 'string' },
    name: { type: 'string' },
    scopes: { type: 'string' },
    expires: { type: 'string' },
  } as const)
  const { tenant, json } = values
  const command = { action: actionOf(action, values, positionals), json, ...(tenant === undefined ? {} : { tenant }) }
  return keysCommand(addressOf(values, terminal), command, terminal)
}

function actionOf(
  action: string | undefined,
  { name, scopes, expires }: { name?: string; scopes?: string; expires?: string },
  positionals: readonly string[],
): KeysAction {
  if (action === 'make') {
    if (name === undefined || scopes === undefined) throw misused('keys make needs --name and --scopes')
    const key = { name, scopes: scopes.split(',') }
    return { name: 'make', key: expires === undefined ? key : { ...key, expires_at: expires } }
  }
  if (action === 'list') return { name: 'list' }
  if (action === 'revoke') return { name: 'revoke', id: only(positionals, 'the id of a key') }
  throw misused('keys must be followed by make, list or revoke')
}

/** @throws `CommandError` for an option that does not exist, or lacks its value */
function read<Options extends NonNullable<ParseArgsConfig['options']>>(given: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...given], options, allowPositionals: true })
  } catch (thrown) {
    throw misused(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

function only(positionals: readonly string[], what: string): string {
  const [first, ...others] = positionals
  if (first === undefined || others.length > 0) throw misused(`The command needs ${what}, and one only`)
  return first
}

function addressOf({ url, key }: { url?: string; key?: string }, { env }: Terminal): GateAddress {
  const address = url ?? env['RAG_GATE_URL'] ?? 'http://127.0.0.1:8787'
  if (!URL.canParse(address) || !/^https?:/.test(address)) throw misused(`${address} is not an http(s) address`)
  const token = key ?? env['RAG_GATE_KEY']
  return { url: address, ...(token === undefined ? {} : { key: token }) }
}

// Run, and not imported. The program may be called through a link.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exitCode = await runCommand(process.argv.slice(2), {
    out: (line) => void process.stdout.write(`${printable(line)}\n`),
    notes: process.stderr,
    env: process.env,
  })
}
