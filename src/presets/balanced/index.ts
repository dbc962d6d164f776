export { balanced, type BalancedOptions, balancedPreset } from './balanced.ts'
export { balancedGraded, type BalancedGradedOptions, balancedGradedPreset } from './balanced-graded.ts'
