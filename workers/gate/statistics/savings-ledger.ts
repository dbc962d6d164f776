/** The ledger of what is saved, by prices and an average call from the variables of the deployment. */
import { type SavingsLedger, savingsLedger } from 'hono-rag-gate/core/reports'
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from '../bindings.ts'

const PRICES = [
  'PRICE_CURRENCY',
  'PRICE_INPUT_PER_MILLION',
  'PRICE_OUTPUT_PER_MILLION',
  'PRICE_PER_RETRIEVAL',
] as const satisfies readonly (keyof GateBindings)[]
const AVERAGES = ['AVERAGE_INPUT_TOKENS', 'AVERAGE_OUTPUT_TOKENS'] as const satisfies readonly (keyof GateBindings)[]

/** @throws `config_invalid` for half a set, for what is no number or out of range, and where no model is there that costs something */
export function savingsOf(env: GateBindings): SavingsLedger {
  const [hasPrices, hasAverages] = [isSet(env, PRICES), isSet(env, AVERAGES)]
  if ((hasPrices || hasAverages) && env.LLM_MODEL === undefined) {
    throw invalid(`${hasPrices ? PRICES[0] : AVERAGES[0]} needs a model: search results cost none`)
  }
  return savingsLedger({
    ...(hasPrices && {
      prices: {
        currency: env.PRICE_CURRENCY ?? '',
        inputPerMillionTokens: numberOf(env, 'PRICE_INPUT_PER_MILLION'),
        outputPerMillionTokens: numberOf(env, 'PRICE_OUTPUT_PER_MILLION'),
        perRetrieval: numberOf(env, 'PRICE_PER_RETRIEVAL'),
      },
    }),
    ...(hasAverages && {
      averageCall: {
        inputTokens: numberOf(env, 'AVERAGE_INPUT_TOKENS'),
        outputTokens: numberOf(env, 'AVERAGE_OUTPUT_TOKENS'),
      },
    }),
  })
}

function isSet(env: GateBindings, names: readonly (keyof GateBindings)[]): boolean {
  const given = names.filter((name) => env[name] !== undefined && env[name] !== '')
  if (given.length !== 0 && given.length !== names.length) throw invalid(`${names.join(', ')} go together`)
  return given.length > 0
}

function numberOf(env: GateBindings, name: (typeof PRICES)[number] | (typeof AVERAGES)[number]): number {
  const value = env[name] ?? ''
  if (/^\d{1,10}(\.\d{1,12})?$/.test(value)) return Number(value)
  throw invalid(`${name} must be a number, such as 0.15`)
}

function invalid(message: string): RagGateError {
  return new RagGateError('config_invalid', message)
}
