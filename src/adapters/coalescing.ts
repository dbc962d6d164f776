/** Building blocks for custom coalescers. */
export { type Flight, type FlightRole, type JoinTerms, LEADER_TIMEOUT_MS } from './coalescing/flight.ts'
export { createFlights } from './coalescing/flights.ts'
