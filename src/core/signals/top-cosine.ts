import type { Signal } from './signal.ts'

/** The highest cosine of a chunk with the question; `null` if no chunk has one. */
export const topCosine: Signal<number | null> = {
  name: 'topCosine',
  measure: ({ evidence }) =>
    evidence.chunks.reduce<number | null>((best, { scores: { cosine } }) => {
      return cosine === undefined || (best !== null && best >= cosine) ? best : cosine
    }, null),
}
