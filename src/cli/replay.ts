/** `rag-gate replay`: what another policy would have said of decisions that are on record. */
import { readFile } from 'node:fs/promises'
import {
  lostOfRecord,
  NOT_REPLAYABLE,
  type RecordedDecision,
  replayDecision,
  type Replayed,
} from '../core/calibration/replay-decisions.ts'
import { isRecord } from '../core/lib/guards.ts'
import { type Policy, resolvePolicy } from '../core/policy/policy.ts'
import { isRagGateError } from '../errors.ts'
import { NAMED_POLICIES, POLICY_PARTS } from '../presets/named/index.ts'
import { CommandError, misused } from './command-error.ts'
import { command, only } from './command.ts'
import { jsonLines, type JsonLine, parsed, readText } from './read-lines.ts'
import { jsonText } from './terminal.ts'

const VERDICTS = ['pass', 'advise', 'refuse'] as const

/** The command. */
export const replayCommand = command({
  name: 'replay',
  about: 'Judges decisions on record again, by another policy, and tells what would change.',
  usage: ['replay <decisions.jsonl> --policy <policy.json|name>'],
  notes: [
    'A line for each decision: {"id", "verdict", "signals", "findings", "policy_id"}, as D1 has them in `decisions`, or a',
    'results file of `rag-gate eval`. Nothing is sent anywhere. What the policy needs and nobody recorded is told apart.',
  ],
  options: {
    policy: {
      type: 'string',
      value: 'file',
      about: `a policy file, or one of ${Object.keys(NAMED_POLICIES).join(', ')}`,
    },
    examples: { type: 'string', value: 'n', about: 'how many changed decisions are shown each way; 5' },
  },
  async run({ terminal: { out }, words, given, json }) {
    const path = only(words, 'a file of decisions')
    if (given.policy === undefined) throw misused('replay needs --policy')
    const shown = given.examples === undefined ? 5 : Number(given.examples)
    if (!Number.isInteger(shown) || shown < 0) throw misused('--examples must be a whole number')
    const policy = await policyOf(given.policy)
    const decisions = await readDecisions(path)
    const replayed = decisions.map(({ decision }) => replayDecision(policy, decision))
    const names = new Map(decisions.map(({ decision, question }) => [decision.id, question]))
    const summary = summaryOf(policy, replayed)
    const changed = (stricter: boolean): Changed[] =>
      replayed.flatMap((each) =>
        each.kind === 'replayed' &&
        each.is !== each.was &&
        VERDICTS.indexOf(each.is) > VERDICTS.indexOf(each.was) === stricter
          ? [{ ...each, question: names.get(each.id) ?? null }]
          : [],
      )
    if (json) {
      out(jsonText({ ...summary, stricter: changed(true), looser: changed(false) }))
      return 0
    }
    out({ text: `${summary.decisions} decisions under ${policy.id}`, colour: 'bold' })
    out(`  ${'was \\ is'.padEnd(10)}${VERDICTS.map((verdict) => verdict.padStart(9)).join('')}`)
    for (const was of VERDICTS) {
      out(`  ${was.padEnd(10)}${VERDICTS.map((is) => String(summary.changes[was][is]).padStart(9)).join('')}`)
    }
    if (summary.not_replayable > 0) out(`  not replayable: ${summary.not_replayable} (${summary.why.join('; ')})`)
    for (const [title, those] of [
      ['Would be held back more', changed(true)],
      ['Would be let through more', changed(false)],
    ] as const) {
      if (those.length === 0 || shown === 0) continue
      out(`\n${title}: ${those.length}`)
      for (const { id, was, is, confidence, question } of those.slice(0, shown)) {
        out(`  ${was} → ${is}  ${confidence.toFixed(3)}  ${question ?? id}`)
      }
    }
    return 0
  },
})

type Changed = Extract<Replayed, { kind: 'replayed' }> & { readonly question: string | null }
type Verdicts<Value> = Record<(typeof VERDICTS)[number], Value>

function summaryOf(policy: Policy, replayed: readonly Replayed[]) {
  const count = (was: string, is: string): number =>
    replayed.filter((each) => each.kind === 'replayed' && each.was === was && each.is === is).length
  const row = (was: string): Verdicts<number> => ({
    pass: count(was, 'pass'),
    advise: count(was, 'advise'),
    refuse: count(was, 'refuse'),
  })
  const changes: Verdicts<Verdicts<number>> = { pass: row('pass'), advise: row('advise'), refuse: row('refuse') }
  const lost = replayed.flatMap((each) => (each.kind === 'not-replayable' ? [NOT_REPLAYABLE[each.why]] : []))
  return {
    policy: policy.id,
    decisions: replayed.length,
    changes,
    not_replayable: lost.length,
    why: [...new Set(lost)],
  }
}

async function policyOf(named: string): Promise<Policy> {
  const make = Object.hasOwn(NAMED_POLICIES, named) ? NAMED_POLICIES[named] : undefined
  if (make !== undefined) return make()
  try {
    const read: unknown = JSON.parse(await readFile(named, 'utf8'))
    return resolvePolicy(isRecord(read) && 'settings' in read ? read['settings'] : read, POLICY_PARTS)
  } catch (thrown) {
    const why = isRagGateError(thrown) || thrown instanceof Error ? thrown.message : String(thrown)
    throw new CommandError(`${named} is no policy that can be used here: ${why}`)
  }
}

async function readDecisions(path: string): Promise<{ decision: RecordedDecision; question?: string }[]> {
  return jsonLines(await readText(path), path).map(({ row, where }) => decisionOf(row, where))
}

/** A row of D1 has signals, findings and what was cut as JSON texts. */
function decisionOf(row: JsonLine['row'], where: string): { decision: RecordedDecision; question?: string } {
  const member = (name: string): unknown => {
    const value = row[name]
    return typeof value === 'string' ? parsed(value, `${where}: ${name}`) : value
  }
  const [signals, findings, cut] = [member('signals'), member('findings') ?? [], member('cut') ?? []]
  const verdict = VERDICTS.find((known) => known === row['verdict'])
  if (!isRecord(signals) || !Array.isArray(findings) || !Array.isArray(cut) || verdict === undefined) {
    throw misused(`${where} has no verdict, signals and findings`)
  }
  const id = row['decision_id'] ?? row['id'] ?? row['key']
  const question = row['question']
  const policyId = row['policy_id'] ?? row['policy']
  // An export does not name principals, and says instead which were erased.
  const principalId = row['erased'] === true ? '' : row['principal_id']
  const lost = lostOfRecord({ cut, principalId })
  return {
    decision: {
      id: typeof id === 'string' ? id : where,
      verdict,
      // What judges reads every member through a check: a damaged record refuses or is not replayable.
      signals: signals as unknown as RecordedDecision['signals'],
      findings: findings as RecordedDecision['findings'],
      policyId: typeof policyId === 'string' ? policyId : '',
      ...(lost === undefined ? {} : { lost }),
    },
    ...(typeof question === 'string' ? { question } : {}),
  }
}
