/** Names of the objects that make up an index. */
import { base32, sha256, utf8 } from 'hono-rag-gate/core/lib'

/** Characters of a key: 130 bits. */
const KEY_LENGTH = 26

/** Key of the object that holds a namespace, unless it was given another. */
export function keyOf(namespace: string): string {
  return base32(sha256(utf8(namespace)), KEY_LENGTH)
}

/** A key that no namespace has. @param bytes random, 17 and up */
export function freshKey(bytes: Uint8Array): string {
  return base32(bytes, KEY_LENGTH)
}

/** Name of the object that holds a namespace. */
export function holderName(index: string, key: string): string {
  return `${index}/${key}`
}

/** What an object is, by its name. */
export function roleOf(name: string): { readonly index: string; readonly key?: string } {
  const [index = '', key] = name.split('/')
  return key === undefined ? { index } : { index, key }
}

/** A name for a resumable query that says which object goes on with it. */
export function resumableName(uuid: string, key: string): string {
  return `${uuid}.${key}`
}

/** Key of the object that goes on with a resumable query; `undefined` when the name says none. */
export function keyInResumableName(name: string): string | undefined {
  return /\.([a-z2-7]{26})$/.exec(name)?.[1]
}
