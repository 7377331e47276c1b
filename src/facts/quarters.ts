import type { PeriodBook, Series } from './periods.ts'
import type { Filing, FiscalPeriod } from './reportedFact.ts'
import { isStated, type Ledger } from './vintages.ts'

/** One metric's year to date: after three, six, nine and twelve months from one start. */
interface Chain {
  readonly start: number
  readonly slots: (Series | undefined)[]
  dirty: boolean
}

const startSlackDays = 7

/** Finds the single quarters that filings leave out: Q2 = H1 - Q1, Q3 = 9M - H1, Q4 = FY - 9M. */
export class SingleQuarters {
  private readonly chains = new Map<string, Chain[]>()
  private dirty: { metric: string; chain: Chain }[] = []

  /** Tells of a flow whose vintage just changed. */
  note(metric: string, series: Series): void {
    const { span, start } = series.period
    if (span === 0 || start === null) return
    let chains = this.chains.get(metric)
    if (chains === undefined) {
      chains = []
      this.chains.set(metric, chains)
    }
    let chain = chains.find(candidate => Math.abs(candidate.start - start) <= startSlackDays)
    if (chain === undefined) {
      chain = { start, slots: [], dirty: false }
      chains.push(chain)
    }
    chain.slots[span] = series
    if (chain.dirty) return
    chain.dirty = true
    this.dirty.push({ metric, chain })
  }

  /** Derives what the figures noted since the last call allow, filed with `filing`, the later of the inputs. */
  settle(book: PeriodBook, ledger: Ledger, filing: Filing): void {
    for (const { metric, chain } of this.dirty) {
      chain.dirty = false
      for (let slot = 2; slot <= 4; slot++) settleQuarter(metric, chain, slot, book, ledger, filing)
    }
    this.dirty = []
  }
}

function settleQuarter(
  metric: string,
  chain: Chain,
  slot: number,
  book: PeriodBook,
  ledger: Ledger,
  filing: Filing,
): void {
  const longer = chain.slots[slot]
  const shorter = chain.slots[slot - 1]
  if (!longer?.current || !shorter?.current) return
  if (longer.current.unit !== shorter.current.unit || longer.period.label === null) return
  const days = longer.period.end - shorter.period.end
  if (days < 75 || days > 125) return
  const quarter = book.quarter(
    shorter.period.end + 1,
    longer.period.end,
    longer.period.rounded || shorter.period.rounded,
  )
  const fp: FiscalPeriod = slot === 2 ? 2 : slot === 3 ? 3 : 4
  quarter.label ??= { fy: longer.period.label.fy, fp }
  const series = book.seriesOf(quarter, metric)
  // Two years to date that end on one day, each from a start of its own: the first says it, for one filing says a thing once.
  if (isStated(series) || series.current?.filing === filing) return
  const value = difference(longer.current.value, shorter.current.value)
  // The group's year less nine months of the company alone is no quarter of either, nor is the owners' profit of a year less
  // the whole company's of nine months; two amounts beyond all books have a difference that no number holds.
  const isMixed = longer.basis !== shorter.basis || (longer.groups & shorter.groups) === 0
  if (isMixed || !Number.isFinite(value)) {
    ledger.withdraw(series, filing)
    return
  }
  series.basis = longer.basis
  ledger.record(
    series,
    {
      tag: null,
      unit: longer.current.unit,
      value,
      start: shorter.period.end + 1,
    },
    filing,
  )
}

/** Rid of the noise that binary fractions leave: no register states more than four decimals of money. */
function difference(longer: number, shorter: number): number {
  const exact = longer - shorter
  return Number.isInteger(exact) || Math.abs(exact) > 1e11 ? exact : Math.round(exact * 1e4) / 1e4
}
