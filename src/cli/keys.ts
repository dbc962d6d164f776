/** `rag-gate keys make|list|revoke`: keys of tenants. */
import { callGate, type GateAddress } from './gate-client.ts'
import type { Terminal } from './terminal.ts'

/** What is to be done. */
export type KeysAction =
  | { readonly name: 'make'; readonly key: { readonly name: string; scopes: readonly string[]; expires_at?: string } }
  | { readonly name: 'list' }
  | { readonly name: 'revoke'; readonly id: string }

/** Options of `keys`. */
export interface KeysCommand {
  readonly action: KeysAction
  readonly tenant?: string
  readonly json: boolean
}

interface KeyReply {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly token?: string
}

/** @returns the exit code */
export async function keysCommand(
  gate: GateAddress,
  { action, tenant, json }: KeysCommand,
  { out, notes }: Terminal,
): Promise<number> {
  const query = tenant === undefined ? '' : `?${new URLSearchParams({ tenant })}`
  switch (action.name) {
    case 'make': {
      const body = { ...action.key, ...(tenant === undefined ? {} : { tenant }) }
      const made = await callGate<KeyReply>(gate, 'POST', '/v1/keys', body, 'once')
      out(json ? JSON.stringify(made, undefined, 2) : (made.token ?? ''))
      if (!json) notes.write(`Key ${made.id} for ${made.tenant} (${made.scopes.join(', ')}). It is shown this once.\n`)
      return 0
    }
    case 'list': {
      const { keys } = await callGate<{ keys: readonly KeyReply[] }>(gate, 'GET', `/v1/keys${query}`)
      out(json ? JSON.stringify(keys, undefined, 2) : keys.map(lineOf).join('\n') || 'No keys')
      return 0
    }
    case 'revoke':
      await callGate(gate, 'DELETE', `/v1/keys/${encodeURIComponent(action.id)}${query}`)
      out(json ? JSON.stringify({ id: action.id, revoked: true }) : `${action.id} is revoked`)
      return 0
  }
}

function lineOf({ id, name, scopes, expires_at: expires, revoked_at: revoked }: KeyReply): string {
  const state = revoked !== null ? `revoked ${revoked}` : expires !== null ? `until ${expires}` : 'counts'
  return `${id}  ${scopes.join(',').padEnd(16)}  ${state}  ${name}`
}
