import { expect, test } from 'bun:test'
import { AnswerMemory } from '../../../src/features/asOfJoins/answerMemory.ts'

const plan = { metrics: ['revenue'], extras: [] }
/** Estimated at 40 bytes each. */
const rows = 2_000_000

test('answers of free and demo callers leave room for those of paid keys, and give theirs back', () => {
  const memory = new AnswerMemory()
  const unpaid = Array.from({ length: 3 }, () => memory.reserve(rows, plan, true))
  expect(() => memory.reserve(rows, plan, true)).toThrow('limit of responses in memory')
  for (let i = 0; i < 17; i++) memory.reserve(rows, plan)
  expect(() => memory.reserve(rows, plan)).toThrow('limit of responses in memory')
  const held = memory.held
  unpaid[0].keep(1_000)()
  unpaid[1].release()
  unpaid[1].release()
  expect(held - memory.held).toBe(2 * 40 * rows)
  memory.reserve(rows, plan, true)
})
