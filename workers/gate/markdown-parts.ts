/**
 * Stands in the bundle for what markdown-it brings along (`alias` in `wrangler.toml`). Only blocks and headings are
 * read here: links are neither found in plain text nor written out, so their parts are never called. Punctuation, which
 * decides about emphasis, is asked of the runtime instead of a table.
 */
export function LinkifyIt(): void {}

/** Punctuation, for one character. */
export const P = /^\p{P}/u

/** Symbols, for one character. */
export const S = /^\p{S}/u

/** In place of `mdurl` and `punycode.js`. */
export default {}
