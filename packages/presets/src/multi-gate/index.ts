export { multiGate, type MultiGateOptions, multiGatePreset } from './multi-gate.ts'
export { topCosine } from './top-cosine.ts'
export { keywordCoverage, type KeywordCoverageOptions } from './keyword-coverage.ts'
