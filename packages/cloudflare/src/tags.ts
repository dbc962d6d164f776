/** Cache tags of answers, so that they can be purged from the platform's cache in every data centre. */
import { type PurgeScope, purgeScopeText } from 'hono-rag-gate/core/policy'
import type { Sealer } from 'hono-rag-gate/adapters/answer-cache'

/** 128 bits: collisions are practically impossible, and a hundred documents stay far below the platform's 16 KB. */
const TAG_CHARACTERS = 32

/** The distinct tags of some scopes. Without the secret, a tag reveals nothing about its scope. */
export async function tagsOf(scopes: readonly PurgeScope[], { address }: Pick<Sealer, 'address'>): Promise<string[]> {
  const tags = scopes.map(
    async (scope) => `rag-gate-${(await address(purgeScopeText(scope))).slice(0, TAG_CHARACTERS)}`,
  )
  return [...new Set(await Promise.all(tags))]
}
