/** `POST /ask`: the handler behind the gate. It runs only for questions that may be answered. */
import type { Context } from 'hono'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { CAUTION_FOR_READER } from '../../src/core/reports/caution.ts'
import type { GateBindings } from './bindings.ts'
import { compositionFor } from './compose.ts'

/** Answers from the evidence: a model's words where one is configured, quoted sentences otherwise. */
export async function answer(c: Context<RagGateEnv<GateBindings>>): Promise<Response> {
  const { question, context, citations, caution, summary, report } = c.var.ragGate
  const generation = await compositionFor(c.env).generator.generate({
    question,
    chunks: context.chunks,
    context: context.text,
    ...(caution === undefined ? {} : { caution }),
    signal: c.req.raw.signal,
  })
  const { text, manner, complete, model, usage } = generation
  report({
    ...generation.report,
    complete,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  })
  return c.json({
    answer: text,
    manner,
    sources: citations,
    refused: false,
    ...(caution === undefined ? {} : { caution: CAUTION_FOR_READER }),
    ...summary,
  })
}
