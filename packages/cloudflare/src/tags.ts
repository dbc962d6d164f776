/** Tags under which the platform's own cache holds an answer, so that it can be told to forget it everywhere. */
import { type PurgeScope, purgeScopeText } from 'hono-rag-gate/core/policy'
import type { Sealer } from 'hono-rag-gate/adapters/answer-cache'

/** 128 bits: two scopes never share a tag by chance, and a hundred documents stay far below the platform's 16 KB. */
const TAG_CHARACTERS = 32

/**
 * The tags of some scopes, each once. A tag tells nothing of its scope to who does not have the secret.
 */
export async function tagsOf(scopes: readonly PurgeScope[], { address }: Pick<Sealer, 'address'>): Promise<string[]> {
  const tags = scopes.map(
    async (scope) => `rag-gate-${(await address(purgeScopeText(scope))).slice(0, TAG_CHARACTERS)}`,
  )
  return [...new Set(await Promise.all(tags))]
}
