/** Name and value of the header that marks a stream as a UI message of the AI SDK. */
export const UI_STREAM_HEADER = ['x-vercel-ai-ui-message-stream', 'v1'] as const
