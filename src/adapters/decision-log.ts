/** Building blocks for custom decision logs. */
export { createDropCount } from './decision-log/drop-count.ts'
export { writeDirectly } from './decision-log/write-directly.ts'
