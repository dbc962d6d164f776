/** How a service is asked: one deadline, a cap on the bytes, a retry, a circuit breaker, errors without its words. */
export { type BoundedRequest, type BoundedResponse, type Fetch, readUnder } from './bounded-fetch.ts'
export { boundedCall, type Deadline, faultOf, startDeadline } from './deadline.ts'
export {
  bearer,
  createJsonEndpoint,
  jsonEndpoint,
  type PreparedEndpoint,
  prepareEndpoint,
  rootUrl,
} from './json-endpoint.ts'
export { badResponse, errorOfFault, errorOfStatus, indexFull, readJson, type UpstreamName } from './upstream-error.ts'
export { UpstreamFault } from './upstream-fault.ts'
export { createHttpUpstream, createUpstream, type UpstreamOptions, upstreamOptions } from './upstream.ts'
