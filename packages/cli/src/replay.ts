/** `rag-gate replay`: judges recorded decisions by another policy. */
import {
  lostOfRecord,
  NOT_REPLAYABLE,
  type RecordedDecision,
  replayDecision,
  type Replayed,
  type WhereReaderFails,
  whereReaderFails,
} from '@hono-rag-gate/calibration'
import type { RerankerOutcome } from 'hono-rag-gate/core/evidence'
import { isRecord } from 'hono-rag-gate/core/lib'
import type { Policy } from 'hono-rag-gate/core/policy'
import { NAMED_POLICIES } from '@hono-rag-gate/presets'
import { CommandError, misused } from './command-error.ts'
import { command, only, wholeNumber } from './command.ts'
import { policyOf } from './policy-of.ts'
import { jsonLines, type JsonLine, parsed, readText } from './read-lines.ts'
import { jsonText, oneLine } from './terminal.ts'

const VERDICTS = ['pass', 'advise', 'refuse'] as const
const RERANKER_OUTCOMES: readonly RerankerOutcome[] = ['ok', 'failed', 'timeout', 'spared', 'off']

/** The command. */
export const replayCommand = command({
  name: 'replay',
  about: 'Judges decisions on record again, by another policy, and tells what would change.',
  usage: ['replay <decisions.jsonl> --policy <policy.json|name>'],
  notes: [
    'A line for each decision: {"id", "verdict", "signals", "findings", "policy_id"}, as an export has them, or a',
    'results file of `rag-gate eval`. Nothing is sent anywhere. What the policy needs and was not recorded is told apart,',
    'and so is what no reranker read: `reranker` of a line says whether it failed, was spared, or there was none.',
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
    const shown = wholeNumber('--examples', given.examples, 5, 0)
    const policy = await policyOf(given.policy)
    const decisions = await readDecisions(path)
    const replayed = decisions.map((recorded) => replay(policy, recorded))
    const told = new Map(decisions.map(({ decision, label }) => [decision.id, label]))
    const summary = summaryOf(policy, replayed)
    const changed = (stricter: boolean): Changed[] =>
      replayed
        .flatMap((each) =>
          each.kind === 'replayed' && each.is !== each.was && stepOf(each) > 0 === stricter
            ? [{ ...each, question: null, ...told.get(each.id) }]
            : [],
        )
        .sort((one, other) => Math.abs(stepOf(other)) - Math.abs(stepOf(one)))
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
    for (const line of unreadLines(summary.unread)) out(`  ${line}`)
    for (const [title, those] of [
      ['Would be held back more', changed(true)],
      ['Would be let through more', changed(false)],
    ] as const) {
      if (those.length === 0 || shown === 0) continue
      out(`\n${title}: ${those.length}${labelsText(those)}, with the confidence of ${policy.id}`)
      for (const { id, was, is, confidence, question } of those.slice(0, shown)) {
        out(`  ${was} → ${is}  ${confidence.toFixed(3)}  ${oneLine(question ?? id)}`)
      }
    }
    return 0
  },
})

type Judged = Extract<Replayed, { kind: 'replayed' }>
type Changed = Judged & Pick<Recorded['label'], 'answerable'> & { readonly question: string | null }

/** A decision, with the label of its question from a results file of `eval`, if there is one. */
interface Recorded {
  readonly decision: RecordedDecision
  /** Path and line number, for messages. */
  readonly where: string
  readonly label: { readonly question?: string; readonly answerable?: boolean }
}

/** @throws `CommandError` naming the line, for signals that a policy cannot read */
function replay(policy: Policy, { decision, where }: Recorded): Replayed {
  try {
    return replayDecision(policy, decision)
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new CommandError(`${where} has damaged signals`, { exitCode: 2, cause })
  }
}

/** How much stricter the verdict became, −2..2. */
function stepOf({ was, is }: Judged): number {
  return VERDICTS.indexOf(is) - VERDICTS.indexOf(was)
}

const WHERE_FAILED: Readonly<Record<WhereReaderFails, string>> = {
  refused: 'refused, as the gate would have',
  judged_by_words: 'judged by words alone, as the gate would have',
  not_weighed: 'this policy weighs no reader',
}

function unreadLines({ where_reader_failed: where, failed, spared, off }: Summary['unread']): string[] {
  const notAsked = spared + off
  return [
    ...(failed > 0 ? [`reader failed: ${failed} (${WHERE_FAILED[where]})`] : []),
    ...(notAsked > 0 && where !== 'not_weighed' ? [`reader not asked: ${notAsked} (judged by words alone)`] : []),
  ]
}

/** For labelled questions, whether the change is an improvement. */
function labelsText(those: readonly Changed[]): string {
  const answerable = those.filter((each) => each.answerable === true).length
  const refusable = those.filter((each) => each.answerable === false).length
  return answerable + refusable === 0 ? '' : `, ${answerable} answerable and ${refusable} to be refused`
}

type Verdicts<Value> = Record<(typeof VERDICTS)[number], Value>

type Summary = ReturnType<typeof summaryOf>

function summaryOf(policy: Policy, replayed: readonly Replayed[]) {
  const count = (was: string, is: string): number =>
    replayed.filter((each) => each.kind === 'replayed' && each.was === was && each.is === is).length
  const unread = (why: string): number =>
    replayed.filter((each) => each.kind === 'replayed' && each.unread === why).length
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
    unread: {
      where_reader_failed: whereReaderFails(policy),
      failed: unread('failed'),
      spared: unread('spared'),
      off: unread('off'),
    },
  }
}

async function readDecisions(path: string): Promise<Recorded[]> {
  const lines = jsonLines(await readText(path), path)
  // A judgement that was asked for again has two lines with one key, of which the later counts.
  const latest = new Map(lines.map((line) => [line.row['key'] ?? line.where, line]))
  return [...latest.values()].map(({ row, where }) => decisionOf(row, where))
}

/** In a row of D1, signals, findings and cut fields are JSON strings. */
function decisionOf(row: JsonLine['row'], where: string): Recorded {
  const member = (name: string): unknown => {
    const value = row[name]
    return typeof value === 'string' ? parsed(value, `${where}: ${name}`) : value
  }
  const [signals, findings, cut] = [member('signals'), member('findings') ?? [], member('cut') ?? []]
  const verdict = VERDICTS.find((known) => known === row['verdict'])
  const areFindings = Array.isArray(findings) && findings.every(isFinding)
  if (!isRecord(signals) || !areFindings || !Array.isArray(cut) || verdict === undefined) {
    throw misused(`${where} has no verdict, signals and findings`)
  }
  const id = row['decision_id'] ?? row['id'] ?? row['key']
  const { question, answerable, reranker } = row
  const reader = RERANKER_OUTCOMES.find((known) => known === reranker)
  const policyId = row['policy_id'] ?? row['policy']
  // An export has no principals; it only marks erased ones.
  const principalId = row['erased'] === true ? '' : row['principal_id']
  const lost = lostOfRecord({ cut, principalId })
  return {
    decision: {
      id: typeof id === 'string' ? id : where,
      verdict,
      // Most readers validate members, so that a damaged record is refused or not replayable.
      signals: signals as unknown as RecordedDecision['signals'],
      findings: findings as RecordedDecision['findings'],
      policyId: typeof policyId === 'string' ? policyId : '',
      ...(reader === undefined ? {} : { reader }),
      ...(lost === undefined ? {} : { lost }),
    },
    where,
    label: {
      ...(typeof question === 'string' ? { question } : {}),
      ...(typeof answerable === 'boolean' ? { answerable } : {}),
    },
  }
}

function isFinding(value: unknown): boolean {
  return isRecord(value) && typeof value['gate'] === 'string' && typeof value['outcome'] === 'string'
}
