export { english } from './english.ts'
export { terms } from './terms.ts'
