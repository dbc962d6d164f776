/** The ledger of what is saved, by prices and an average call from the variables of the deployment. */
import { type SavingsLedger, savingsLedger } from 'hono-rag-gate/core/reports'
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from '../bindings.ts'
import { numberIn, type SettingName } from '../settings.ts'

/** @throws `config_invalid` for a price out of range, and where no model is there that costs something */
export function savingsOf(env: GateBindings): SavingsLedger {
  const number = (name: SettingName): number => numberIn(env, name) ?? 0
  const [hasPrices, hasAverages] = [env.PRICE_CURRENCY !== undefined, env.AVERAGE_INPUT_TOKENS !== undefined]
  if ((hasPrices || hasAverages) && env.LLM_MODEL === undefined) {
    const name = hasPrices ? 'PRICE_CURRENCY' : 'AVERAGE_INPUT_TOKENS'
    throw new RagGateError('config_invalid', `${name} needs a model: search results cost none`, { param: name })
  }
  return savingsLedger({
    ...(hasPrices && {
      prices: {
        currency: env.PRICE_CURRENCY ?? '',
        inputPerMillionTokens: number('PRICE_INPUT_PER_MILLION'),
        outputPerMillionTokens: number('PRICE_OUTPUT_PER_MILLION'),
        perRetrieval: number('PRICE_PER_RETRIEVAL'),
      },
    }),
    ...(hasAverages && {
      averageCall: {
        inputTokens: number('AVERAGE_INPUT_TOKENS'),
        outputTokens: number('AVERAGE_OUTPUT_TOKENS'),
      },
    }),
  })
}
