/** `rag-gate doctor`: checks a project, its index and its gate, and suggests remedies. */
import { resolve } from 'node:path'
import { CommandError, misused } from '../command-error.ts'
import { command } from '../command.ts'
import { requireHono } from '../project/hono-app.ts'
import { localVars } from '../project/local-vars.ts'
import { readWranglerConfig } from '../project/wrangler-config.ts'
import { jsonText, type Terminal } from '../terminal.ts'
import { INDEX_OPTIONS, upstashOf } from '../which-index.ts'
import { checkGate } from './check-gate.ts'
import { checkIndex } from './check-index.ts'
import { checkApp, checkProject } from './check-project.ts'
import { type Finding, problem } from './finding.ts'

/** The command. */
export const doctorCommand = command({
  name: 'doctor',
  about: 'Checks a project, its index and its gate, and says what to do.',
  usage: ['doctor [folder] [--url address] [--collection id] [--remote]'],
  notes: [
    'Packages, bindings, migrations and settings of the folder; the Upstash index that its settings name; the gate at --url:',
    'whether it answers, its score kinds, its scale and, with an admin key, dimensions and pins of its collections.',
    'Exit code 1 where something keeps the gate from working; warnings alone leave it at 0.',
  ],
  options: {
    ...INDEX_OPTIONS,
    collection: { type: 'string', value: 'id', about: 'which collection is asked' },
    question: { type: 'string', value: 'text', about: 'what the gate is asked; it is recorded as any other' },
    remote: { type: 'boolean', about: 'look at the deployed database, not at the local one' },
  },
  async run({ terminal, words, given, json, gate }) {
    if (words.length > 1) throw misused(`doctor takes one folder, and there is more: ${words.slice(1).join(' ')}`)
    const folder = resolve(words[0] ?? '.')
    const address = gate()
    const found: Finding[] = []
    const vars: Record<string, string | undefined> = { ...terminal.env }
    try {
      const config = readWranglerConfig(folder)
      if (config === undefined) requireHono(folder)
      const local = localVars(folder, config)
      Object.assign(vars, local)
      const where = given.remote ? 'remote' : 'local'
      // A Worker does not see the variables of the shell.
      found.push(...(config === undefined ? checkApp(folder, vars) : checkProject(folder, config, where, local)))
    } catch (thrown) {
      if (!(thrown instanceof CommandError)) throw thrown
      const todo = 'mend it, or name the folder of the project: rag-gate doctor <folder>'
      found.push(problem('project', thrown.message, todo))
    }
    let indexDimension: number | undefined
    if ((given.index ?? vars['UPSTASH_VECTOR_REST_URL'] ?? '') !== '') {
      try {
        const where = upstashOf(given, { env: vars })
        const { findings, dimension } = await checkIndex(where, given.text === undefined ? {} : { text: given.text })
        found.push(...findings)
        indexDimension = dimension
      } catch (thrown) {
        // A wrong option is an error of the call, a wrong setting is a finding about the project.
        if (!(thrown instanceof CommandError) || given.index !== undefined) throw thrown
        found.push(problem('index', thrown.message, 'check UPSTASH_VECTOR_REST_URL and UPSTASH_VECTOR_REST_TOKEN'))
      }
    }
    const question = given.question ?? 'What do these documents say, and about what?'
    found.push(...(await checkGate(address, question, given.collection, indexDimension)))
    if (json) terminal.out(jsonText(found))
    else show(found, terminal)
    return found.some(({ state }) => state === 'problem') ? 1 : 0
  },
})

const MARKS = {
  ok: { text: 'ok     ', colour: 'green' },
  warning: { text: 'warning', colour: 'yellow' },
  problem: { text: 'problem', colour: 'red' },
} as const

function show(found: readonly Finding[], { out }: Terminal): void {
  const width = Math.max(...found.map(({ check }) => check.length))
  for (const { check, state, text, todo } of found) {
    out(MARKS[state], ` ${check.padEnd(width)}  ${text}`)
    if (todo !== undefined) out(`${' '.repeat(width + 10)}→ ${todo}`)
  }
}
