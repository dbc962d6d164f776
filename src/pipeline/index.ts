export { collectionNotFound } from './find-place.ts'
export { newId } from './new-id.ts'
export { questionHmac } from './question-hmac.ts'
export { inTime } from './within-deadline.ts'
