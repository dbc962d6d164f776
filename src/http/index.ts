/** How an upstream is asked: deadline, byte cap, retry, circuit breaker; streams of events. */
export { type BoundedRequest, type BoundedResponse, faultOf, type Fetch, readUnder } from './bounded-fetch.ts'
export { boundedCall, type Deadline, startDeadline } from './deadline.ts'
export {
  bearer,
  createJsonEndpoint,
  httpUrl,
  jsonEndpoint,
  type PreparedEndpoint,
  prepareEndpoint,
} from './json-endpoint.ts'
export { mediaTypeOf } from './media-type.ts'
export { readAtMost } from './read-at-most.ts'
export { createEventSplitter, readEvent, splitEvents } from './server-sent-events.ts'
export { sha256Hex } from './sha256-hex.ts'
export { textStream } from './text-stream.ts'
export { badResponse, errorOfFault, errorOfStatus, indexFull, readJson, type UpstreamName } from './upstream-error.ts'
export { UpstreamFault } from './upstream-fault.ts'
export { createHttpUpstream, createUpstream, type UpstreamOptions, upstreamOptions } from './upstream.ts'
export { utf8TextOf } from './utf8.ts'
