/** Reading of bodies, streams and URLs, within limits. */
export { discard } from './discard.ts'
export { httpUrl } from './http-url.ts'
export { mediaTypeOf } from './media-type.ts'
export { readAtMost } from './read-at-most.ts'
export { createEventSplitter, readEvent, splitEvents } from './server-sent-events.ts'
export { sha256Hex } from './sha256-hex.ts'
export { textStream } from './text-stream.ts'
export { utf8TextOf } from './utf8.ts'
