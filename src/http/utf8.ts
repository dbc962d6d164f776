const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Decodes UTF-8, without a leading byte order mark; `undefined` for invalid UTF-8. */
export function utf8TextOf(bytes: ArrayBuffer | Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}
