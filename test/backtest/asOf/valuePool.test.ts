import { expect, test } from 'bun:test'
import { textAt } from '../../../src/backtest/asOf/carried/shownTexts.ts'
import { ValuePool } from '../../../src/backtest/asOf/carried/valuePool.ts'

test('a value has its number while it is remembered, and every number its value, however many there are', () => {
  const pool = new ValuePool()
  const numberOf = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return pool.numberOf(bytes, 0, bytes.length)
  }
  // More than are remembered: the last ones are stored again.
  const texts = Array.from({ length: 70_000 }, (_, i) => (i % 3 === 0 ? `ü${i}` : `${i}`))
  const numbers = texts.map(numberOf)
  const again = texts.map(numberOf)
  expect(again.slice(0, 65_536)).toEqual(numbers.slice(0, 65_536))
  const table = pool.finish()
  expect(table.starts.length - 1).toBe(70_000 + 70_000 - 65_536)
  for (const [i, text] of texts.entries()) {
    if (textAt(table, numbers[i] - 1) !== text || textAt(table, again[i] - 1) !== text)
      throw new Error(`${text} is lost`)
  }
  expect(numberOf('')).toBeGreaterThan(0)
})
