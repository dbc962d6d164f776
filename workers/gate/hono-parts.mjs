/** Replaces unused parts of Hono in the bundle: forms, HTML, and mounted apps. */
export const parseBody = undefined
export const createMountedRequest = undefined
export const HtmlEscapedCallbackPhase = undefined
export const resolveCallback = undefined
