/** In the place of Hono's forms, of HTML, and of apps mounted in others, of which none is used here. */
export const parseBody = undefined
export const createMountedRequest = undefined
export const HtmlEscapedCallbackPhase = undefined
export const resolveCallback = undefined
