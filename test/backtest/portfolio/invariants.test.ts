import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nonEmpty } from '../../nonEmpty.ts'
import { datasetOf, simulateDataset } from '../rows.ts'
import { anyPanel, anySettings, borrow, bps } from './anyPanel.ts'

/** Properties that must hold for any panel and settings. */

test('does not depend on the order of rows, to the bit', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, fc.infiniteStream(fc.nat()), (rows, settings, keys) => {
      const shuffled = rows
        .map(row => ({ row, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ row }) => row)
      expect(simulateDataset(datasetOf(shuffled), settings, 1, bps, borrow)).toEqual(
        simulateDataset(datasetOf(rows), settings, 1, bps, borrow),
      )
    }),
    { numRuns: 200 },
  )
})

test('does not change when scores are shifted or scaled', () => {
  fc.assert(
    fc.property(
      anyPanel,
      anySettings,
      fc.constantFrom(0.25, 8),
      fc.constantFrom(-4, 16),
      (rows, settings, scale, shift) => {
        const exact = rows.map(row => ({
          ...row,
          score: row.score === null ? null : Math.round(row.score * 8) / 8,
        }))
        const moved = exact.map(row => ({
          ...row,
          score: row.score === null ? null : row.score * scale + shift,
        }))
        const before = simulateDataset(datasetOf(exact), settings, 1, bps, borrow).series
        const after = simulateDataset(datasetOf(moved), settings, 1, bps, borrow).series
        for (const [t, net] of nonEmpty(before.net.entries())) expect(after.net[t]).toBeCloseTo(net, 10)
      },
    ),
    { numRuns: 200 },
  )
})

test('equal and rank weights depend on the order of scores only, to the bit', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, (rows, settings) => {
      fc.pre(settings.weighting !== 'score')
      const bent = rows.map(row => ({
        ...row,
        score: row.score === null ? null : Math.round(row.score * 8) ** 3,
      }))
      const flat = rows.map(row => ({ ...row, score: row.score === null ? null : Math.round(row.score * 8) }))
      expect(simulateDataset(datasetOf(bent), settings, 1, bps, borrow)).toEqual(
        simulateDataset(datasetOf(flat), settings, 1, bps, borrow),
      )
    }),
    { numRuns: 200 },
  )
})

test('scales returns and costs with gross exposure', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, (rows, settings) => {
      fc.pre(!settings.drift)
      const one = simulateDataset(datasetOf(rows), { ...settings, gross: 1 }, 1, bps, borrow).series
      const four = simulateDataset(datasetOf(rows), { ...settings, gross: 4 }, 1, bps, borrow).series
      for (const [t, net] of nonEmpty(one.net.entries())) expect(four.net[t]).toBeCloseTo(4 * net, 10)
    }),
    { numRuns: 100 },
  )
})

test('higher costs never raise a net return', () => {
  fc.assert(
    fc.property(anyPanel, anySettings, (rows, settings) => {
      const cheap = simulateDataset(datasetOf(rows), settings, 1, bps, borrow).series
      const dear = simulateDataset(
        datasetOf(rows),
        settings,
        1,
        { '': 50, M0: 50, M1: 50, M2: 50 },
        2 * borrow,
      ).series
      for (const [t, net] of nonEmpty(cheap.net.entries()))
        expect(dear.net[t]).toBeLessThanOrEqual(net + 1e-15)
    }),
    { numRuns: 100 },
  )
})

test('returns after a date never change the portfolio at that date', () => {
  fc.assert(
    fc.property(
      anyPanel,
      anySettings,
      fc.integer({ min: 0, max: 14 }),
      fc.double({ min: -0.9, max: 2, noNaN: true }),
      (rows, settings, day, r) => {
        const upTo = rows.filter(row => row.day <= day)
        fc.pre(upTo.length > 0)
        const changed = upTo.map(row => (row.day === day ? { ...row, forwardReturn: r } : row))
        expect(simulateDataset(datasetOf(changed), settings).positions).toEqual(
          simulateDataset(datasetOf(upTo), settings).positions,
        )
        const later = rows.map(row =>
          row.day > day ? { ...row, forwardReturn: r, score: row.score === null ? 1 : null } : row,
        )
        const periods = new Set(upTo.map(row => row.day)).size
        const before = simulateDataset(datasetOf(rows), settings, 1, bps, borrow).series
        const after = simulateDataset(datasetOf(later), settings, 1, bps, borrow).series
        for (let t = 0; t < periods; t++) expect(after.net[t]).toBe(before.net[t])
      },
    ),
    { numRuns: 200 },
  )
})
