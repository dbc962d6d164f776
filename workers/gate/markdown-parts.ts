/**
 * Replaces dependencies of markdown-it in the bundle (`alias` in `wrangler.toml`). Only blocks and headings are parsed:
 * links are neither detected in plain text nor rendered, so those dependencies are never called. Punctuation, which
 * matters for emphasis, is matched by the runtime's regular expressions instead of a table.
 */
export function LinkifyIt(): void {}

/** Matches a punctuation character. */
export const P = /^\p{P}/u

/** Matches a symbol. */
export const S = /^\p{S}/u

/** Replaces `mdurl` and `punycode.js`. */
export default {}
