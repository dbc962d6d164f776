/** What a coalescer of one's own is made with. */
export { Flight, type FlightRole, type JoinTerms, LEADER_TIMEOUT_MS } from './coalescing/flight.ts'
