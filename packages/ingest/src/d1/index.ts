export { createD1ChunkTexts } from './chunk-texts.ts'
export { createD1Collections } from './collections.ts'
