import { expect } from 'bun:test'
import type { CompanyDeps } from '../../../src/features/companies/deps.ts'
import { planCompany } from '../../../src/features/fundamentals/plan.ts'
import { readCompany } from '../../../src/features/fundamentals/read.ts'
import type { FundamentalsRow } from '../../../src/features/fundamentals/schema.ts'
import { rightsOf } from '../companies/fixtures.ts'

/** Decisions, section 4; written down again here so that the test does not lean on the importer's own table. */
const ratioInputs: Record<string, [string, string]> = {
  net_margin: ['net_income', 'revenue'],
  gross_margin: ['gross_profit', 'revenue'],
  operating_margin: ['operating_income', 'revenue'],
  roe: ['net_income', 'equity'],
  roa: ['net_income', 'assets'],
  asset_turnover: ['revenue', 'assets'],
  debt_to_equity: ['liabilities', 'equity'],
  current_ratio: ['current_assets', 'current_liabilities'],
}

export async function readRows(
  deps: CompanyDeps,
  ticker: string,
  view: 'history' | 'latest',
  as_of: string,
): Promise<FundamentalsRow[]> {
  const plan = await planCompany(deps, rightsOf('personal'), { ticker, view, as_of })
  return (await readCompany(deps, plan)).data
}

/**
 * The figures known on `day` are today's figures minus everything filed since: nothing is missing and nothing
 * is added.
 */
export async function checkHistory(
  deps: CompanyDeps,
  ticker: string,
  day: string,
  today: readonly FundamentalsRow[],
): Promise<FundamentalsRow[]> {
  const rows = await readRows(deps, ticker, 'history', day)
  expect(rows.filter(row => row.filed > day)).toEqual([])
  expect(withoutGeneration(rows)).toEqual(knownOn(today, day))
  return rows
}

const withoutGeneration = (rows: readonly FundamentalsRow[]): FundamentalsRow[] =>
  rows.map(({ generation: _, ...row }) => row)

/**
 * The rows of a later response that were filed by a day, as known on that day: ends after that day are not
 * yet known.
 */
export const knownOn = (later: readonly FundamentalsRow[], day: string): FundamentalsRow[] =>
  withoutGeneration(later.filter(row => row.filed <= day)).map(row =>
    row.until !== null && row.until > day ? { ...row, until: null } : row,
  )

/** One row a metric: the last vintage of the latest period of the history, the year before the quarter. A ratio
 * that lost its meaning (a denominator became zero) has no last vintage; it may be of an earlier period. */
export async function checkLatest(
  deps: CompanyDeps,
  ticker: string,
  day: string,
  history: readonly FundamentalsRow[],
): Promise<void> {
  // Only view=latest marks rows as stale: staleness.test.ts says which.
  const latest = (await readRows(deps, ticker, 'latest', day)).map(({ stale: _, ...row }) => row)
  const expected = new Map<string, FundamentalsRow>()
  for (const row of history) {
    const best = expected.get(row.m)
    const later =
      !best || row.end > best.end || (row.end === best.end && (row.fp === 'FY' || best.fp !== 'FY'))
    if (later) expected.set(row.m, row)
  }
  expect(latest.map(row => row.m)).toEqual([...new Set(latest.map(row => row.m))].sort())
  for (const row of latest) {
    const want = expected.get(row.m)
    expect(want).toBeDefined()
    if (row.m in ratioInputs && want !== undefined && !isMeaningful(want, history)) continue
    expect(row).toEqual(want ?? row)
  }
  const missing = [...expected.values()].filter(want => !latest.some(row => row.m === want.m))
  expect(missing.filter(want => isMeaningful(want, history))).toEqual([])
}

function isMeaningful(ratio: FundamentalsRow, history: readonly FundamentalsRow[]): boolean {
  const inputs = ratioInputs[ratio.m]
  if (inputs === undefined) return true
  const [top, bottom] = inputs.map(metric => vintagesOf(history, metric, ratio).at(-1))
  return top !== undefined && bottom !== undefined && bottom.v !== 0
}

const vintagesOf = (rows: readonly FundamentalsRow[], metric: string, of: FundamentalsRow) =>
  rows.filter(row => row.m === metric && row.end === of.end && row.fp === of.fp)

/** Every ratio is of figures that were known on the day under which it is filed; the last one of a day is of the
 * last figures of that day, and one of the two was filed on it. */
export function checkRatios(history: readonly FundamentalsRow[]): number {
  let checked = 0
  const faults: { row: FundamentalsRow; expected: number[] }[] = []
  history.forEach((row, index) => {
    const inputs = ratioInputs[row.m]
    if (inputs === undefined) return
    const [tops, bottoms] = inputs.map(metric =>
      vintagesOf(history, metric, row).filter(vintage => vintage.filed <= row.filed),
    )
    const next = history[index + 1]
    const lastOfDay =
      next?.m !== row.m || next.end !== row.end || next.fp !== row.fp || next.filed !== row.filed
    const known = (tops.at(-1)?.v ?? Number.NaN) / (bottoms.at(-1)?.v ?? Number.NaN)
    // A vintage of the same day that left no ratio (a denominator of zero) made none either.
    const quotients =
      lastOfDay && Number.isFinite(known)
        ? [known]
        : tops.flatMap(top => bottoms.map(bottom => top.v / bottom.v))
    if (!quotients.includes(row.v)) faults.push({ row, expected: quotients })
    if (![...tops, ...bottoms].some(vintage => vintage.filed === row.filed))
      faults.push({ row, expected: [] })
    checked++
  })
  expect(faults).toEqual([])
  return checked
}
