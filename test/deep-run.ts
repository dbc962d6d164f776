/** Whether this is `npm run test:deep`, which takes its time: it tries what `npm test` tries in part. */
export const DEEP = process.env['TEST_DEEP'] === '1'
