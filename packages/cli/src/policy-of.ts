/** Resolves a policy given by an option. */
import { readFile } from 'node:fs/promises'
import { isRecord } from 'hono-rag-gate/core/lib'
import { type Policy, resolvePolicy } from 'hono-rag-gate/core/policy'
import { isRagGateError } from 'hono-rag-gate/errors'
import { NAMED_POLICIES, POLICY_PARTS } from '@hono-rag-gate/presets'
import { CommandError } from './command-error.ts'

/**
 * @param named name of a policy, or path of a policy file
 * @throws `CommandError` if it is neither
 */
export async function policyOf(named: string): Promise<Policy> {
  const make = Object.hasOwn(NAMED_POLICIES, named) ? NAMED_POLICIES[named] : undefined
  if (make !== undefined) return make()
  const text = await readFile(named, 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new CommandError(
      `${named} is no file that can be read, and none of ${Object.keys(NAMED_POLICIES).join(', ')}`,
    )
  }
  try {
    const read: unknown = JSON.parse(text)
    return resolvePolicy(isRecord(read) && 'settings' in read ? read['settings'] : read, POLICY_PARTS)
  } catch (thrown) {
    const why = isRagGateError(thrown) || thrown instanceof Error ? thrown.message : String(thrown)
    throw new CommandError(`${named} is no policy that can be used here: ${why}`)
  }
}
