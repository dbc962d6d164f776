#!/usr/bin/env node
/** `rag-gate`: parses the command line and runs a command. */
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { calibrateCommand } from './calibrate.ts'
import { CommandError, GateFailure, misused } from './command-error.ts'
import { type Command, helpOf, helpOfAll, meant, readCall } from './command.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { evalCommand } from './eval.ts'
import { labelsCommand } from './feedback-labels.ts'
import { ingestCommand } from './ingest.ts'
import { initCommand } from './init.ts'
import { keysCommand } from './keys.ts'
import { lexiconCommand } from './lexicon.ts'
import { policyCommand } from './policy.ts'
import { queryCommand } from './query.ts'
import { questionsCommand } from './questions.ts'
import { replayCommand } from './replay.ts'
import { scaleCommand } from './scale.ts'
import { type Terminal, terminalOn } from './terminal.ts'

/** All commands, in the order of the help. */
const COMMANDS: readonly Command[] = [
  initCommand,
  doctorCommand,
  ingestCommand,
  queryCommand,
  questionsCommand,
  labelsCommand,
  evalCommand,
  calibrateCommand,
  policyCommand,
  replayCommand,
  keysCommand,
  lexiconCommand,
  scaleCommand,
]

/** Hints for error codes of a gate. */
const HINTS: Readonly<Record<string, string>> = {
  unauthorized: 'Put the key into RAG_GATE_KEY; `rag-gate keys make` makes one.',
  forbidden: 'The scopes of a key do not change: with one that has admin, `rag-gate keys make` makes another.',
  not_found: 'Is this the address of the gate itself, without a path such as /v1/dashboard?',
  budget_spent: 'It is renewed at 00:00 UTC, that of a month on its first day.',
  collection_not_found: 'Choose another with --collection, or fill this one with `rag-gate ingest`.',
}

/**
 * Runs a command.
 *
 * @param args arguments after the program name
 * @returns the exit code: 0 for success, 1 for failure, 2 for wrong usage
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal)
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    terminal.note({ text: 'rag-gate: ', colour: 'red' }, thrown.message)
    const hint = thrown instanceof GateFailure ? HINTS[thrown.code] : undefined
    if (hint !== undefined) terminal.note(hint)
    return thrown.exitCode
  }
}

async function run([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (name === undefined) {
    terminal.out(helpOfAll(COMMANDS, terminal.columns))
    return 2
  }
  if (name === '--version' || name === '-V') return tell(terminal, versionOfPackage())
  if (name === '--help' || name === '-h') return tell(terminal, helpOfAll(COMMANDS, terminal.columns))
  if (name === 'help') {
    const [topic] = rest.filter((word) => !word.startsWith('-'))
    return tell(
      terminal,
      topic === undefined ? helpOfAll(COMMANDS, terminal.columns) : helpOf(commandNamed(topic), terminal.columns),
    )
  }
  const command = commandNamed(name)
  const call = readCall(command, rest, terminal)
  if (call === 'help') return tell(terminal, helpOf(command, terminal.columns))
  if (call === 'version') return tell(terminal, versionOfPackage())
  return command.run(call)
}

function tell({ out }: Terminal, text: string): number {
  out(text)
  return 0
}

function commandNamed(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name)
  if (found !== undefined) return found
  if (name.startsWith('-')) throw misused(`${name} comes after the command: rag-gate <command> ${name} …`)
  const names = COMMANDS.map((command) => command.name)
  throw misused(`There is no command ${name}${meant(name, names) || `; rag-gate --help lists them`}`)
}

/** The version in package.json, which is one folder up both in the sources and in the published package. */
function versionOfPackage(): string {
  // npm requires a version.
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}

// Only if run, not imported. The program may be started through a symbolic link.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // The reader may close the pipe early, as `head` does.
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => process.exit(fault.code === 'EPIPE' ? 0 : 1))
  process.exitCode = await runCommand(process.argv.slice(2), terminalOn(process))
}
