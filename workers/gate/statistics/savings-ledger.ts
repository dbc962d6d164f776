/** The ledger of what is saved, by prices and an average call from the variables of the deployment. */
import { type Prices, type SavingsLedger, savingsLedger } from 'hono-rag-gate/core/reports'
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from '../bindings.ts'
import { numberIn, type SettingName } from '../settings.ts'

const numberOf = (env: GateBindings, name: SettingName): number => numberIn(env, name) ?? 0

/** `undefined` where none are set. */
export function pricesOf(env: GateBindings): Prices | undefined {
  return env.PRICE_CURRENCY === undefined
    ? undefined
    : {
        currency: env.PRICE_CURRENCY,
        inputPerMillionTokens: numberOf(env, 'PRICE_INPUT_PER_MILLION'),
        outputPerMillionTokens: numberOf(env, 'PRICE_OUTPUT_PER_MILLION'),
        perRetrieval: numberOf(env, 'PRICE_PER_RETRIEVAL'),
      }
}

/** @throws `config_invalid` for a price out of range, and where no model is there that costs something */
export function savingsOf(env: GateBindings): SavingsLedger {
  const prices = pricesOf(env)
  const hasAverages = env.AVERAGE_INPUT_TOKENS !== undefined
  if ((prices !== undefined || hasAverages) && env.LLM_MODEL === undefined) {
    const name = prices !== undefined ? 'PRICE_CURRENCY' : 'AVERAGE_INPUT_TOKENS'
    throw new RagGateError('config_invalid', `${name} needs a model`, { param: name })
  }
  return savingsLedger({
    ...(prices && { prices }),
    ...(hasAverages && {
      averageCall: {
        inputTokens: numberOf(env, 'AVERAGE_INPUT_TOKENS'),
        outputTokens: numberOf(env, 'AVERAGE_OUTPUT_TOKENS'),
      },
    }),
  })
}
