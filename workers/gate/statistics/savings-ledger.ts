/** The ledger of savings, with prices and an average call from the deployment's variables. */
import { type Prices, type SavingsLedger, savingsLedger } from 'hono-rag-gate/core/reports'
import type { GateBindings } from '../bindings.ts'
import { numberIn, type SettingName } from '../settings.ts'

const numberOf = (env: GateBindings, name: SettingName): number => numberIn(env, name) ?? 0

/** The prices; `undefined` if none are set. */
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

/** The variables were validated before. */
export function savingsOf(env: GateBindings): SavingsLedger {
  const prices = pricesOf(env)
  const hasAverages = env.AVERAGE_INPUT_TOKENS !== undefined
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
