import { expect, test } from 'bun:test'
import { evidenceNotes } from '../../../src/backtest/pipeline/evidenceNotes.ts'

const days = Int32Array.from({ length: 1_000 }, (_, t) => t)
const trials = [{ avgTurnover: 0.1 }, { avgTurnover: 0.9 }]
const note = (pbo: number | null, hasCosts = true) =>
  evidenceNotes({ trials, days, hasCosts, pbo, warnings: [] }, {}, 1).find(
    ({ code }) => code === 'pbo_with_costs',
  )?.message

test('the note about pbo and costs names the value, and calls it low only where it is', () => {
  expect(note(0.124)).toContain('pbo is 12.4%, which is no sign of skill here.')
  expect(note(0.124)).toContain('low')
  expect(note(0.797)).toStartWith('pbo is 79.7% although')
  expect(note(0.797)).not.toContain('makes pbo low')
  expect(note(null)).toBeUndefined()
  expect(note(0.124, false)).toBeUndefined()
})
