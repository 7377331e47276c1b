import type { JoinRows } from '../asOf/positions.ts'
import type { AsOfPeriod } from '../figureScore.ts'
import { isMatch } from './match.ts'
import type { NumberCells } from './numbers.ts'
import { auditScales } from './request.ts'
import { findRounding, type Rounding } from './rounding.ts'
import type { Vintages } from './vintages.ts'

/** What a column may be: all figures of one kind of period of one metric. */
export interface Candidate {
  readonly metric: string
  readonly fp: AsOfPeriod
  /** Gathers the vintages of some companies, in their order. A column is compared with one candidate after another, so
   * that a request with many does not have the vintages of all of them in memory. */
  readonly vintagesOf: (companies: Int32Array) => Vintages
}

/** One way to read a column. */
export interface Reading {
  /** The index of the candidate. */
  readonly candidate: number
  readonly scale: number
  readonly sign: 1 | -1
  /** The share of sampled cells that equal a figure of their company, of whatever day. */
  readonly matchedShare: number
}

export interface FoundReading extends Reading {
  readonly rounding: Rounding
  readonly nextBest: Reading | null
}

/** What the request says about a column; null: to be found. */
export interface FixedReading {
  readonly scale: number | null
  readonly sign: 1 | -1 | null
}

/** Enough to tell readings apart whose shares differ by a few per cent. */
const maxSampled = 4_000
/** A later reading in order replaces an earlier one only if it matches more by this share: trailing twelve months
 * contain the fiscal years, and every kind of period is among the latest. */
const clearlyMore = 0.02
/** A column of the latest figures consists to a fourth of fiscal years; fewer are cells of the wrong period. */
const clearlyMoreLatest = 0.1

/**
 * Finds how a column is to be read: the candidate, scale and sign under which most of a sample of its cells equal some
 * figure of their companies. Figures of all days count, so that a column which looks ahead is recognised as well.
 *
 * @param companyOfName the number of the company by which the candidates know it; -1: unknown
 * @param candidates in order of preference
 */
export function interpretColumn(
  rows: JoinRows,
  companyOfName: Int32Array,
  column: NumberCells,
  candidates: readonly Candidate[],
  fixed: FixedReading,
): FoundReading {
  const rounding = findRounding(column.numbers)
  const sample = sampleOf(rows, companyOfName, column)
  const scales = fixed.scale === null ? auditScales : [fixed.scale]
  const signs = fixed.sign === null ? ([1, -1] as const) : [fixed.sign]
  const readings: Reading[] = []
  for (const [candidate, { vintagesOf }] of candidates.entries()) {
    const vintages = vintagesOf(sample.companies)
    for (const sign of signs) {
      for (const scale of scales) {
        let matched = 0
        for (let i = 0; i < sample.count; i++)
          if (isMatch(vintages, sample.company[i], sample.value[i], { scale, sign, rounding })) matched++
        const matchedShare = sample.count === 0 ? 0 : matched / sample.count
        readings.push({ candidate, scale, sign, matchedShare })
      }
    }
  }
  let best = readings[0]
  for (const reading of readings) {
    const isLatest =
      candidates[reading.candidate].fp === 'latest' && candidates[best.candidate].fp !== 'latest'
    if (reading.matchedShare > best.matchedShare + (isLatest ? clearlyMoreLatest : clearlyMore))
      best = reading
  }
  const others = readings.filter(reading => reading !== best)
  const nextBest = others.reduce<Reading | null>(
    (next, reading) => (next === null || reading.matchedShare > next.matchedShare ? reading : next),
    null,
  )
  return { ...best, rounding, nextBest }
}

interface Sample {
  readonly count: number
  /** The companies of the cells, each once. */
  readonly companies: Int32Array
  /** For each cell, the index of its company in `companies`. */
  readonly company: Int32Array
  readonly value: Float64Array
}

/** Cells spread evenly over the rows. Zeros are left out, because they are equal at every scale and sign. */
function sampleOf(
  { count, name }: JoinRows,
  companyOfName: Int32Array,
  { cells, numbers }: NumberCells,
): Sample {
  const usable = new Int32Array(count)
  let found = 0
  for (let row = 0; row < count; row++) {
    const value = numbers[cells[row] - 1]
    if (cells[row] > 0 && !Number.isNaN(value) && value !== 0 && companyOfName[name[row]] !== -1)
      usable[found++] = row
  }
  const taken = Math.min(found, maxSampled)
  const indexes = new Map<number, number>()
  const company = new Int32Array(taken)
  const value = new Float64Array(taken)
  for (let i = 0; i < taken; i++) {
    const row = usable[Math.floor((i * found) / taken)]
    const own = companyOfName[name[row]]
    const index = indexes.get(own) ?? indexes.size
    indexes.set(own, index)
    company[i] = index
    value[i] = numbers[cells[row] - 1]
  }
  return { count: taken, companies: Int32Array.from(indexes.keys()), company, value }
}
