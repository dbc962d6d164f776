/** What a log of decisions of one's own is made with. */
export { createDropCount } from './decision-log/drop-count.ts'
export { writeDirectly } from './decision-log/write-directly.ts'
