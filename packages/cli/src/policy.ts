/** `rag-gate policy`: pushes policies to a gate, lists and chooses them, and rolls back. */
import { readFile } from 'node:fs/promises'
import { balanced } from 'hono-rag-gate/balanced'
import { pinDifferences, type PolicyPin, policySettings } from 'hono-rag-gate/core/policy'
import { isRagGateError } from 'hono-rag-gate/errors'
import { isRecord } from 'hono-rag-gate/core/lib'
import type { PolicyFile } from './calibrate.ts'
import { CommandError, misused } from './command-error.ts'
import { command, only } from './command.ts'
import { callGate, COLLECTIONS, type Form, type GateAddress, requireForm } from './gate-client.ts'
import { jsonText, oneLine } from './terminal.ts'

interface Listed {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly pin: PolicyPin | null
  readonly created_at: string
  readonly created_by: string
  readonly why: string
}

interface Choice {
  readonly collection: string | null
  readonly policy: string | null
  readonly at: string
  readonly by: string
  readonly why: string
}

export interface PolicyList {
  readonly named: readonly string[]
  readonly policies: readonly Listed[]
  readonly choices: readonly Choice[]
}

export interface Collections {
  readonly collections: readonly (Omit<PolicyPin, 'collection'> & {
    readonly id: string
    readonly policy: string | null
  })[]
}

/** Form of the list of policies. */
const POLICY_LIST: Form = {
  named: ['string'],
  policies: [
    { id: 'string', version: 'number', pin: 'object|null', created_at: 'string', created_by: 'string', why: 'string' },
  ],
  choices: [{ collection: 'string|null', policy: 'string|null', at: 'string', by: 'string', why: 'string' }],
}

/** The command. */
export const policyCommand = command({
  name: 'policy',
  about: 'Pushes policies to a gate, lists them, chooses one for a collection, and goes back.',
  usage: [
    'policy push <policy.json> [--use] [--why "…"]',
    'policy push --near-misses 0.1 [--use --collection <id>] [--why "…"]',
    'policy list',
    'policy use <id|name> --collection <id> [--why "…"]',
    'policy rollback --collection <id> [--why "…"]',
  ],
  notes: [
    'Without --collection, use and rollback are about the tenant: all collections that have no policy of their own.',
    '--near-misses makes `balanced` aim at answering that share of near misses, 0.02 to 0.3; half of them with a caution.',
    '`policy use default` leaves the choice to the tenant, or to the deployment. The key needs the scope admin,',
    'and ingest for `policy list`.',
  ],
  options: {
    collection: { type: 'string', value: 'id', about: 'which collection' },
    use: { type: 'boolean', about: 'choose it for the collection it is pinned to' },
    'near-misses': { type: 'string', value: 'share', about: 'push balanced with this aim instead of a file' },
    why: { type: 'string', value: 'text', about: 'why, for the record' },
  },
  async run({ terminal: { out, note }, words, given, json, gate }) {
    const [what = '', ...rest] = words
    const { collection, why = '', use } = given
    switch (what) {
      case 'push': {
        const share = given['near-misses']
        const file = share === undefined ? await readPolicy(only(rest, 'a policy file')) : aimingAt(share, rest)
        const target = collection ?? file.pin?.collection
        if (use && target === undefined) throw misused('--use needs --collection: this policy is pinned to none')
        const address = gate()
        const reply = await callGate<Listed>(address, 'PUT', '/v1/policies/pushed', { ...file, why })
        const pushed = requireForm(reply, { id: 'string', name: 'string', version: 'number' })
        if (use) {
          await choose(address, target, { policy: pushed.id, why }).catch((thrown: unknown) => {
            note(`${pushed.id} is pushed, and not in use:`)
            throw thrown
          })
        }
        if (json) out(jsonText({ ...pushed, used: use ? target : null }))
        else {
          out(`${pushed.id}: version ${pushed.version} of ${pushed.name}${use ? `, in use for ${target}` : ''}`)
          if (!use) note(`Nothing uses it yet: rag-gate policy use ${pushed.id} --collection ${target ?? '<id>'}`)
        }
        return 0
      }
      case 'list': {
        if (rest.length > 0) throw misused('policy list takes no words')
        const address = gate()
        const [listed, held] = await Promise.all([
          callGate<PolicyList>(address, 'GET', '/v1/policies/pushed'),
          callGate<Collections>(address, 'GET', '/v1/collections'),
        ])
        requireForm(listed, POLICY_LIST)
        const { collections } = requireForm(held, COLLECTIONS)
        if (json) out(jsonText({ ...listed, collections }))
        else show(listed, collections, out)
        return 0
      }
      case 'use': {
        const policy = only(rest, 'the id of a pushed policy, or a name')
        const chosen = await choose(gate(), collection, { policy: policy === 'default' ? null : policy, why })
        out(json ? chosenAs(collection, chosen) : `${collection ?? 'the tenant'}: ${policy}`)
        return 0
      }
      case 'rollback': {
        if (rest.length > 0) throw misused('policy rollback takes no words: it goes back to the choice before')
        const chosen = await choose(gate(), collection, { rollback: true, why })
        out(
          json ? chosenAs(collection, chosen) : `${collection ?? 'the tenant'}: back to ${chosen.policy ?? 'default'}`,
        )
        return 0
      }
      default:
        throw misused('policy must be followed by push, list, use or rollback; rag-gate policy --help shows how')
    }
  },
})

/** What is in use now, as printed by `--json`; `null` for the tenant, and for its or the deployment's choice. */
function chosenAs(collection: string | undefined, { policy }: { readonly policy: string | null }): string {
  return jsonText({ collection: collection ?? null, policy })
}

async function choose(
  gate: GateAddress,
  collection: string | undefined,
  choice: { readonly why: string } & ({ readonly policy: string | null } | { readonly rollback: true }),
): Promise<{ readonly policy: string | null }> {
  const path = collection === undefined ? '/v1/policy' : `/v1/collections/${encodeURIComponent(collection)}/policy`
  // A repeated rollback would go back twice.
  const repeatable = 'rollback' in choice ? 'once' : 'repeatable'
  return requireForm(await callGate<{ policy: string | null }>(gate, 'PUT', path, choice, repeatable), {
    policy: 'string|null',
  })
}

function aimingAt(share: string, words: readonly string[]): PolicyFile {
  if (words.length > 0) throw misused('--near-misses stands in the place of a policy file')
  try {
    const settings = policySettings(balanced({ refuse: { nearMisses: Number(share) } }))
    return { settings, pin: null, evidence: null }
  } catch (thrown) {
    throw isRagGateError(thrown) ? misused('--near-misses must be a number from 0.02 to 0.3') : thrown
  }
}

async function readPolicy(path: string): Promise<PolicyFile> {
  let read: unknown
  try {
    read = JSON.parse(await readFile(path, 'utf8'))
  } catch (thrown) {
    throw new CommandError(`${path} is no policy file: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
  if (!isRecord(read)) throw new CommandError(`${path} is no policy file`)
  // A file with only settings is an unpinned policy. The gate validates the rest.
  if (!('settings' in read)) return { settings: read, pin: null, evidence: null }
  const { settings, pin = null, evidence = null } = read
  return { settings, pin: pin as PolicyPin | null, evidence }
}

function show(
  { policies, choices, named }: PolicyList,
  collections: Collections['collections'],
  out: (text: string) => void,
): void {
  out(`Named: ${named.join(', ')}`)
  if (policies.length > 0) out('\nPushed')
  for (const { id, version, pin, created_at: at, created_by: by, why } of policies) {
    const users = collections.filter(({ policy }) => policy === id).map((each) => each.id)
    const pinned = pin === null ? '' : `, for ${pin.collection} at version ${pin.corpus_version}`
    const used = users.length === 0 ? '' : `, in use for ${users.join(', ')}`
    out(`  ${id}  version ${version}${pinned}${used}  ${at} by ${by}${why === '' ? '' : `: ${oneLine(why)}`}`)
    for (const drift of driftOf(
      pin,
      collections.filter((each) => users.includes(each.id)),
    ))
      out(`    ⚠️ ${drift}`)
  }
  if (choices.length > 0) out('\nChoices, newest first')
  for (const { collection, policy, at, by, why } of choices.slice(0, 20)) {
    out(`  ${at}  ${collection ?? 'tenant'}: ${policy ?? 'default'} by ${by}${why === '' ? '' : `: ${oneLine(why)}`}`)
  }
}

/** A gate judges nothing under such a policy, so that nothing can be measured either. */
const CHOOSE_FIRST = 'questions fail until another policy is chosen (rag-gate policy use); then calibrate again'

/** What has changed since a policy was calibrated, in the collections that use it. */
export function driftOf(pin: PolicyPin | null, users: Collections['collections']): string[] {
  if (pin === null) return []
  return users.flatMap((now) => {
    const { id, embedding_model: model, corpus_version: version } = now
    // The collection itself was checked when the policy was chosen.
    const [worst] = pinDifferences(pin, { ...now, collection: pin.collection })
    if (worst === undefined) return []
    if (worst === 'reader')
      return [`the reader is ${now.reader ?? 'none'} now, and was ${pin.reader ?? 'none'}: ${CHOOSE_FIRST}`]
    if (worst === 'embedding') return [`${id} is embedded by ${model} now: ${CHOOSE_FIRST}`]
    return [
      `${id} was changed since (version ${pin.corpus_version}, now ${version}): check it with rag-gate eval, calibrate again where it drifted`,
    ]
  })
}
