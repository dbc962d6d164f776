/** `rag-gate query "…"`: asks, and with `--debug` shows why it came out so. */
import { explanationText } from '../core/reports/explain.ts'
import { type ConfidenceGlance, confidenceLine } from '../presets/weighted-signals/confidence-record.ts'
import { CommandError } from './command-error.ts'
import { ask, type AskReply, type GateAddress } from './gate-client.ts'
import type { Terminal } from './terminal.ts'

/** Options of `query`. */
export interface QueryCommand {
  readonly question: string
  readonly collection?: string
  readonly searchMode?: 'dense' | 'sparse' | 'hybrid'
  readonly debug: boolean
  readonly json: boolean
}

/** @returns the exit code: 0 for an answer and for a refusal alike */
export async function queryCommand(
  gate: GateAddress,
  { question, collection, searchMode, debug, json }: QueryCommand,
  { out }: Terminal,
): Promise<number> {
  const reply = await ask(gate, question, {
    ...(collection === undefined ? {} : { collection }),
    ...(searchMode === undefined ? {} : { search_mode: searchMode }),
  })
  if (reply.status >= 400) throw failureOf(reply)
  if (debug && reply.body.detail === undefined) {
    throw new CommandError('Only operators are told why: --debug needs a key with the scope admin')
  }
  out(json ? JSON.stringify(reply.body, undefined, 2) : textOf(reply, debug))
  return 0
}

function failureOf({ status, body }: AskReply): CommandError {
  // Errors have another body than answers.
  const { error } = body as unknown as { error?: { code: string; message: string } }
  return new CommandError(error === undefined ? `The gate answered ${status}` : `${error.code}: ${error.message}`)
}

function textOf({ headers, body }: AskReply, debug: boolean): string {
  const { answer, refused, refusal_reason: reason, sources, detail } = body
  const lines = [answer]
  if (refused && !debug && reason !== undefined) lines.push(`Reason: ${reason}`)
  for (const { number, document_id: id, section } of sources) {
    lines.push(`[${number}] ${id}${section === undefined ? '' : ` · ${section}`}`)
  }
  if (detail === undefined) return lines.join('\n')
  const { explanation } = detail
  // Told by the policies that have such a confidence; its members are then those of a glance.
  if (explanation.glance !== undefined) {
    lines.push('', confidenceLine(explanation.glance as unknown as ConfidenceGlance))
  }
  if (debug) {
    const [top] = detail.chunks
    const scores = Object.entries(top?.scores ?? {}).map(([kind, score]) => `${kind} ${score.toFixed(3)}`)
    lines.push(
      '',
      explanationText(explanation),
      `  Top chunk: ${top === undefined ? 'none' : `${top.document_id} (${scores.join(', ')})`}`,
      ...[...explanation.checks, ...explanation.analysis].map(({ text }) => `  ${text}`),
      `  Cache: ${headers.get('cache-status') ?? 'none'}`,
      `  Timings: ${headers.get('server-timing') ?? 'none'}`,
    )
  }
  return lines.join('\n')
}
