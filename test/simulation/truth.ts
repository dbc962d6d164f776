/** Ground truth of a simulation: who knows what, from when until when. Uses no code of the package. */

export const TENANTS = ['acme', 'globex', 'initech'] as const
export type TenantName = (typeof TENANTS)[number]
export const COLLECTIONS = ['default', 'manual'] as const

/** Topics of documents; no two tenants share any, and nobody has the last. */
const ANIMALS: Readonly<Record<TenantName | 'nobody', readonly string[]>> = {
  acme: ['falcon', 'heron', 'osprey', 'kestrel'],
  globex: ['otter', 'badger', 'marten', 'lynx'],
  initech: ['salmon', 'sturgeon', 'herring', 'walleye'],
  nobody: ['unicorn', 'griffin', 'basilisk', 'wyvern'],
}
const DEVICES: Readonly<Record<(typeof COLLECTIONS)[number], string>> = { default: 'pump', manual: 'winch' }

/** What documents say about a topic, and how it is asked in two wordings, which find the same evidence. */
export const FACTS = [
  {
    tells: (thing: string, value: number) => `The ${thing} holds ${value} litres of coolant`,
    asks: [
      (thing: string) => `Which litres of coolant does the ${thing} hold?`,
      (thing: string) => `Does the ${thing} hold litres of coolant?`,
    ],
  },
  {
    tells: (thing: string, value: number) => `Northern depots service the ${thing} every ${value} weeks`,
    asks: [
      (thing: string) => `Which depots service the ${thing}?`,
      (thing: string) => `Do depots service the ${thing}?`,
    ],
  },
  {
    tells: (thing: string, value: number) => `The warranty of the ${thing} ends after ${value} years`,
    asks: [
      (thing: string) => `When does the warranty of the ${thing} end?`,
      (thing: string) => `Does the warranty of the ${thing} end?`,
    ],
  },
] as const

/** Number of questions about a document. */
export const WORDINGS = FACTS.length * FACTS[0].asks.length

/** A document of a collection, and so its topic. */
export interface DocumentName {
  readonly tenant: TenantName | 'nobody'
  readonly collection: (typeof COLLECTIONS)[number]
  readonly at: number
}

export const thingOf = ({ tenant, collection, at }: DocumentName): string =>
  `${ANIMALS[tenant][at % ANIMALS[tenant].length]} ${DEVICES[collection]}`

/** Questions of which no document has more than a word. */
const FAR = [
  'Which desk sells umbrellas in Chicago?',
  'Who painted the Sistine ceiling?',
  'When did Mozart compose Figaro?',
]

/**
 * A question about a document. `balanced`, by which one tenant is judged, weighs evidence: of it is asked what is far
 * from all documents, where the others are asked for a thing that is not there in a sentence that is.
 */
export function questionOf(tenant: TenantName, document: DocumentName, fact: number): string {
  if (tenant === 'initech' && document.tenant !== tenant) return FAR[fact % FAR.length]!
  const { asks } = FACTS[fact % FACTS.length]!
  return asks[Math.floor(fact / FACTS.length) % asks.length]!(thingOf(document))
}

/** All that a text of the simulation says about itself: its owner and version. */
export interface Mark {
  readonly tenant: string
  readonly collection: string
  readonly at: number
  readonly version: number
}

const MARK = /zq(acme|globex|initech)x(default|manual)x(\d+)x(\d+)z/g

export const marksIn = (text: string): Mark[] =>
  [...text.matchAll(MARK)].map(([, tenant = '', collection = '', at, version]) => ({
    tenant,
    collection,
    at: Number(at),
    version: Number(version),
  }))

/** One write to a document. */
export interface Writing {
  /** 0 if the document is removed. */
  readonly version: number
  readonly beganMs: number
  /** Time from which it can have no further effect; `Infinity` while it can. */
  settledMs: number
  /** Time from which its text must not be visible, except in copies. */
  untilMs: number
  isConfirmed: boolean
}

/** The documents as known to their writers. */
export class Truth {
  readonly #writings = new Map<string, Writing[]>()
  #versions = 0

  #of({ tenant, collection, at }: Pick<Mark, 'tenant' | 'collection' | 'at'>): Writing[] {
    const key = `${tenant}/${collection}/${at}`
    const known = this.#writings.get(key) ?? []
    this.#writings.set(key, known)
    return known
  }

  /** Begins a write of a document's text. */
  write(document: DocumentName, nowMs: number): { readonly writing: Writing; readonly text: string } {
    const version = ++this.#versions
    const writing = { version, beganMs: nowMs, settledMs: Infinity, untilMs: Infinity, isConfirmed: false }
    this.#of(document).push(writing)
    const { tenant, collection, at } = document
    const mark = `zq${tenant}x${collection}x${at}x${version}z`
    const lines = FACTS.map(
      ({ tells }, fact) => `${tells(thingOf(document), 3 + ((version * 7 + fact) % 90))} (${mark}).`,
    )
    return { writing, text: lines.join('\n') }
  }

  remove(document: DocumentName, nowMs: number): Writing {
    const writing = { version: 0, beganMs: nowMs, settledMs: Infinity, untilMs: nowMs, isConfirmed: false }
    this.#of(document).push(writing)
    return writing
  }

  /** Marks it confirmed: writes settled before it began are over. */
  confirm(document: DocumentName, writing: Writing, nowMs: number): void {
    writing.settledMs = nowMs
    writing.isConfirmed = true
    for (const other of this.#of(document)) {
      if (other !== writing && other.settledMs <= writing.beganMs) other.untilMs = Math.min(other.untilMs, nowMs)
    }
  }

  /** Whether a document has been there since some time, and nothing else was in progress. */
  stands(document: DocumentName, sinceMs: number): boolean {
    const writings = this.#of(document)
    const last = writings.at(-1)
    return (
      last !== undefined &&
      last.isConfirmed &&
      last.version > 0 &&
      writings.every(({ settledMs }) => settledMs <= sinceMs) &&
      writings.every((other) => other === last || other.settledMs <= last.beganMs)
    )
  }

  /** Until when a text could be evidence; `undefined` if it was never written. */
  untilMs(mark: Mark): number | undefined {
    return this.#of(mark).find(({ version }) => version === mark.version)?.untilMs
  }
}
