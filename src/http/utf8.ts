const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Bytes as text, without a byte order mark before it; `undefined` for what is no UTF-8. */
export function utf8TextOf(bytes: ArrayBuffer | Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}
