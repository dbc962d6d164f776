/** Rows of a block: slots that are stored together. */
export const BLOCK_ROWS = 1024
