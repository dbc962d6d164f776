/** What a coalescer of one's own is made with. */
export { type Flight, type FlightRole, type JoinTerms, LEADER_TIMEOUT_MS } from './coalescing/flight.ts'
export { createFlights } from './coalescing/flights.ts'
