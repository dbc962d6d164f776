/** The dashboard of the console. */
export { consolePage } from './console-page.ts'
