/** HTTP clients for services: deadline, size limit, retry, circuit breaker, and errors without upstream text. */
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
