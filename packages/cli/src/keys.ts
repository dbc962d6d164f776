/** `rag-gate keys make|list|revoke`: keys of tenants. */
import { misused } from './command-error.ts'
import { command, only } from './command.ts'
import { callGate, type GateAddress, requireForm } from './gate-client.ts'
import { jsonText, oneLine, type Terminal } from './terminal.ts'

interface KeyReply {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly token?: string
}

const KEY = { id: 'string', tenant: 'string', scopes: ['string'] } as const
const LISTED = { ...KEY, name: 'string', expires_at: 'string|null', revoked_at: 'string|null' }

const SCOPES = ['ask', 'ingest', 'admin']

export const keysCommand = command({
  name: 'keys',
  about: 'Makes, lists and revokes the keys of a tenant.',
  usage: [
    'keys make --name <name> --scopes ask,ingest,admin [--tenant <id>] [--expires <ISO 8601>]',
    'keys list [--tenant <id>]',
    'keys revoke <key id> [--tenant <id>]',
  ],
  notes: ['A new key is printed this once. All of it needs a key with the scope admin.'],
  options: {
    name: { type: 'string', value: 'name', about: 'what the key is for, as the list shows it' },
    scopes: { type: 'string', value: 'list', about: 'what it may: ask, ingest, admin, with commas between' },
    tenant: { type: 'string', value: 'id', about: "whose key; the caller's own tenant otherwise" },
    expires: { type: 'string', value: 'time', about: 'when it ends, such as 2027-01-31T00:00:00Z; never otherwise' },
  },
  async run({ terminal, words, given, json, gate }) {
    const [action = '', ...rest] = words
    const query = given.tenant === undefined ? '' : `?${new URLSearchParams({ tenant: given.tenant })}`
    switch (action) {
      case 'make':
        if (rest.length > 0) throw misused(`keys make takes options only: ${rest.join(' ')}`)
        return make(gate(), keyToMake(given), json, terminal)
      case 'list': {
        if (rest.length > 0) throw misused(`keys list takes options only: ${rest.join(' ')}`)
        const reply = await callGate<{ keys: readonly KeyReply[] }>(gate(), 'GET', `/v1/keys${query}`)
        const { keys } = requireForm(reply, { keys: [LISTED] })
        terminal.out(json ? jsonText(keys) : keys.map(lineOf).join('\n') || 'No keys of this tenant')
        return 0
      }
      case 'revoke': {
        const id = only(rest, 'the id of a key')
        requireForm(await callGate(gate(), 'DELETE', `/v1/keys/${encodeURIComponent(id)}${query}`), 'undefined')
        terminal.out(json ? jsonText({ id, revoked: true }) : `${id} is revoked`)
        return 0
      }
      default:
        throw misused('keys must be followed by make, list or revoke; rag-gate keys --help shows how')
    }
  },
})

type GivenToMake = Readonly<Record<'name' | 'scopes' | 'tenant' | 'expires', string | undefined>>

function keyToMake({ name, scopes, tenant, expires }: GivenToMake): object {
  if (name === undefined || scopes === undefined) throw misused('keys make needs --name and --scopes')
  const wanted = scopes.split(',').map((scope) => scope.trim())
  const unknown = wanted.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined) throw misused(`There is no scope "${unknown}": ${SCOPES.join(', ')} are known`)
  return {
    name,
    scopes: wanted,
    ...(tenant === undefined ? {} : { tenant }),
    ...(expires === undefined ? {} : { expires_at: expires }),
  }
}

async function make(gate: GateAddress, key: object, json: boolean, { out, note }: Terminal): Promise<number> {
  const made = requireForm(await callGate<KeyReply & { token: string }>(gate, 'POST', '/v1/keys', key, 'once'), {
    ...KEY,
    token: 'string',
  })
  out(json ? jsonText(made) : made.token)
  if (!json) note(`Key ${made.id} for ${made.tenant} (${made.scopes.join(', ')}). It is shown this once.`)
  return 0
}

function lineOf({ id, name, scopes, expires_at: expires, revoked_at: revoked }: KeyReply): string {
  const ends = expires !== null && Date.parse(expires) <= Date.now() ? 'expired' : 'until'
  const state = revoked !== null ? `revoked ${revoked}` : expires !== null ? `${ends} ${expires}` : 'valid'
  return `${id}  ${scopes.join(',').padEnd(16)}  ${state}  ${oneLine(name)}`
}
