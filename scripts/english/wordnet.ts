/** Relations between words, from the database files of WordNet. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Senses of a word that count, the most common first. */
const SENSES = 3

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const
const PART_OF: Readonly<Record<string, string>> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' }
const DERIVED = new Set(['+', '\\'])
const BROAD = new Set(['@', '~', '&', '*', '>', '^', '$'])
const ENDINGS = [
  ['ies', 'y'],
  ['s', ''],
  ['es', ''],
  ['ed', ''],
  ['ed', 'e'],
  ['ing', ''],
  ['ing', 'e'],
  ['er', ''],
  ['er', 'e'],
  ['est', ''],
] as const

interface Pointer {
  readonly kind: string
  readonly synset: string
  /** Which word of its synset it starts from and leads to, from 1; 0 means all. */
  readonly from: number
  readonly to: number
}

interface Synset {
  readonly words: readonly string[]
  readonly pointers: readonly Pointer[]
}

/**
 * Reads the database; returns what a word in lower case is related to: its synonyms, what is derived from it, and for its
 * most common sense what is next broader or narrower.
 *
 * @see https://wordnet.princeton.edu/documentation/wndb5wn
 */
export function readWordNet(folder: string): (word: string) => ReadonlySet<string> {
  const synsets = new Map<string, Synset>()
  const senses = new Map<string, string[][]>()
  for (const part of PARTS) {
    for (const line of linesOf(join(folder, `data.${part}`))) synsets.set(...readSynset(part, line))
    for (const line of linesOf(join(folder, `index.${part}`))) {
      const [word = '', , count = '0', ...rest] = line.trim().split(/\s+/)
      const found = rest.slice(-Number(count)).map((offset) => part + offset)
      senses.set(word, [...(senses.get(word) ?? []), found])
    }
  }
  return (word) => {
    const found = new Set<string>()
    for (const base of baseForms(word, senses)) {
      for (const ids of senses.get(base) ?? []) {
        ids.slice(0, SENSES).forEach((id, rank) => {
          for (const other of relatedBy(base, id, rank === 0, synsets)) if (!other.includes('_')) found.add(other)
        })
      }
    }
    return found
  }
}

function relatedBy(base: string, id: string, mostCommon: boolean, synsets: ReadonlyMap<string, Synset>): string[] {
  const { words, pointers } = synsets.get(id) ?? { words: [], pointers: [] }
  return [
    ...words,
    ...pointers.flatMap(({ kind, synset, from, to }) => {
      const others = synsets.get(synset)?.words ?? []
      if (DERIVED.has(kind) && (from === 0 || words[from - 1] === base))
        return to === 0 ? others : others.slice(to - 1, to)
      return mostCommon && BROAD.has(kind) ? others : []
    }),
  ]
}

function baseForms(word: string, senses: ReadonlyMap<string, unknown>): Set<string> {
  const found = new Set([word])
  for (const [ending, base] of ENDINGS) if (word.endsWith(ending)) found.add(word.slice(0, -ending.length) + base)
  // `stopped`, `running`: the last letter was doubled.
  const doubled = /^(.{2,}(.))\2(?:ed|ing)$/.exec(word)?.[1]
  if (doubled !== undefined) found.add(doubled)
  return new Set([...found].filter((form) => senses.has(form)))
}

function readSynset(part: string, line: string): [string, Synset] {
  const fields = (line.split('|')[0] ?? '').trim().split(/\s+/)
  const count = parseInt(fields[3] ?? '0', 16)
  const words = Array.from({ length: count }, (_, at) => (fields[4 + 2 * at] ?? '').replace(/\(.*/, '').toLowerCase())
  const first = 4 + 2 * count
  const pointers = Array.from({ length: Number(fields[first]) }, (_, at): Pointer => {
    const [kind = '', offset = '', partOf = '', ends = ''] = fields.slice(first + 1 + 4 * at, first + 5 + 4 * at)
    return {
      kind,
      synset: (PART_OF[partOf] ?? '') + offset,
      from: parseInt(ends.slice(0, 2), 16),
      to: parseInt(ends.slice(2), 16),
    }
  })
  return [part + fields[0], { words, pointers }]
}

/** The licence stands before the entries, in lines that begin with two spaces. */
function linesOf(file: string): string[] {
  return readFileSync(file, 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('  '))
}
