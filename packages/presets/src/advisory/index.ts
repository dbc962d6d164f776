export { advisory, type AdvisoryOptions, advisoryPreset } from './advisory.ts'
export { advisoryConfidence, type AdvisoryConfidenceOptions } from './advisory-confidence.ts'
export { advisoryFactors, type AdvisoryFactors, calculateConfidence } from './advisory-factors.ts'
export {
  ADVISORY_USAGE,
  advisoryBadge,
  advisoryBanner,
  type AdvisoryFlag,
  advisoryWarning,
  getAdvisoryFlag,
  handOverAdvisory,
  marketContextFrom,
  readSelfReport,
} from './advisory-flags.ts'
export { responseQuality, type ResponseQualityOptions } from './response-quality.ts'
