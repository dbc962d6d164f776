import { expect, it } from 'vitest'
import { drawWindows } from '../../../packages/calibration/src/scale/windows.ts'
import { WINDOWS_OF_SCRIPTS } from '../../fixtures/windows.ts'

it.each(WINDOWS_OF_SCRIPTS)('workerd draws the same windows as Node: %s', (_, text, windows) => {
  const drawn = drawWindows([{ id: 'p', documentId: 'd', text }], { seed: 1, count: 3 })
  expect(drawn.map(({ question }) => question)).toEqual(windows)
})
