export { balanced, type BalancedOptions, balancedPreset } from './balanced.ts'
