import { dayNumber, type IsoDate, isoDate } from '../../../dates.ts'
import type { TransactionSql } from '../../../postgres/client.ts'
import { encodePriceBlock } from '../../../prices/priceBlock.ts'
import { readSymbols } from '../../../prices/priceQueries.ts'
import { emptyPriceRows, type PriceRows } from '../../../prices/priceRows.ts'
import { idReader } from '../../companies/symbols.ts'
import { CloseCounts } from './closeCounts.ts'
import type { ReadPrices } from './csvPrices.ts'
import { findCompaniesOfSymbols, type NamedDays } from './findCompanies.ts'
import {
  type BlockKey,
  copyBlocks,
  countPrices,
  deleteBlocks,
  type LockedSet,
  type MarketDay,
  type NamedSymbol,
  type NewBlock,
  nextImportId,
  readExactSymbols,
  readRecordedBlocks,
  readSecurities,
  recordImport,
  saveSecurities,
} from './importQueries.ts'
import { easternmostZone, localDay } from './marketClock.ts'
import { type AbsentColumns, listCloses, mergePrices } from './mergePrices.ts'
import { NamedSymbols } from './namedSymbols.ts'
import type { PriceImport, PriceImportOptions } from './priceImport.ts'
import { assignSecurities, maxGapDays, type Security, type SymbolDays } from './securities.ts'
import { type SortedRows, statesTheSame } from './sortRows.ts'
import { maxFaults, type StagedPrices } from './stagedPrices.ts'
import { SymbolOfDay } from './symbolOfDay.ts'
import { endOfYear, firstYear, yearOf, yearStarts } from './tableOfYears.ts'

/** The rows of one symbol that belong to one company, as positions in the order of rows. */
interface Part extends SymbolDays {
  readonly start: number
  readonly end: number
}

const securitiesPerBatch = 1_000

/** One import of a file into a set, within its transaction. */
export class SetImport {
  readonly #rows: StagedPrices
  readonly #absent: AbsentColumns
  readonly #todays = new Map<string, number>()
  readonly #closes = new Map<string, CloseCounts>()
  readonly #symbols: NamedSymbol[] = []

  constructor(
    readonly transaction: TransactionSql,
    readonly set: LockedSet,
    readonly read: ReadPrices,
    readonly sorted: SortedRows,
    readonly options: PriceImportOptions,
    readonly report: PriceImport,
  ) {
    const { rows } = read
    this.#rows = rows
    this.#absent = {
      volumes: !rows.has.has('volume'),
      splitFactors: !rows.has.has('split_factor'),
      dividends: !rows.has.has('dividend'),
      delistingReturns: !rows.has.has('delisting_return'),
    }
  }

  async run(fileName: string): Promise<void> {
    const { transaction, set, options, report } = this
    const recorded = await readSecurities(transaction, set.priceSetId)
    const adopted = await this.#adopt(recorded)
    const parts = await this.#parts()
    const assigned = assignSecurities(recorded, parts)
    const partsOf = new Map<Security, Part[]>()
    for (const [index, part] of parts.entries()) {
      const own = partsOf.get(assigned[index])
      if (own === undefined) partsOf.set(assigned[index], [part])
      else own.push(part)
    }
    const importId = await nextImportId(transaction)
    const ids = await saveSecurities(transaction, set.priceSetId, [
      ...new Set([...partsOf.keys(), ...adopted]),
    ])
    report.securities = partsOf.size
    report.companies = new Set([...partsOf.keys()].flatMap(({ entityId }) => entityId ?? [])).size
    const all = [...partsOf]
    for (let at = 0; at < all.length; at += securitiesPerBatch) {
      await this.#storeBatch(all.slice(at, at + securitiesPerBatch), ids, importId)
      options.onProgress?.(0.5 + (0.5 * at) / all.length, `${at.toLocaleString('en-US')} securities stored`)
    }
    if (report.stored === 0 && adopted.length === 0) return
    const { has } = this.#rows
    report.dataVersion = await recordImport(
      transaction,
      {
        importId,
        priceSetId: set.priceSetId,
        basisDay: this.#basisDay(),
        file: fileName,
        known: report.known,
        rowsStored: report.stored,
        statesSplits: has.has('split_factor'),
        statesDividends: has.has('dividend'),
        statesDelistings: has.has('delisting_return'),
        days: this.#marketDays(),
        symbols: this.#symbols,
        adopted: adopted.flatMap(({ assetId }) => assetId ?? []),
      },
      options.name,
    )
  }

  #basisDay(): IsoDate {
    const { adjustedOn, known, now } = this.options
    if (adjustedOn !== null) return adjustedOn
    return known !== null && known !== 'import' && known !== 'date' ? known : now().toISOString().slice(0, 10)
  }

  /** Gives securities of unknown symbols the company that is known by now, if one had the symbol on all their days. */
  async #adopt(recorded: Security[]): Promise<Security[]> {
    const open = recorded.filter(({ entityId }) => entityId === null)
    if (open.length === 0) return []
    const named = await findCompaniesOfSymbols(
      idReader(this.transaction),
      this.options.markets,
      open.map(({ symbols, market }) => ({ symbol: symbols[0], market: market ?? '' })),
    )
    const adopted: Security[] = []
    const marketBefore = new Map<Security, string>()
    for (const [index, security] of open.entries()) {
      const holders = new Set(
        named[index]
          .filter((days, at) => {
            const next = named[index][at + 1]?.from ?? Number.POSITIVE_INFINITY
            return days.from <= security.lastDay && next > security.firstDay
          })
          .map(({ company }) => company?.entityId),
      )
      const [entityId] = holders
      const company = named[index].find(days => days.company?.entityId === entityId)?.company
      if (holders.size !== 1 || entityId === undefined || company == null) continue
      const others = recorded.some(
        other => other.entityId === entityId && other.symbols.includes(security.symbols[0]),
      )
      if (others) continue
      const owned: Security = { ...security, entityId, market: company.market }
      recorded[recorded.indexOf(security)] = owned
      adopted.push(owned)
      marketBefore.set(owned, security.market ?? '')
    }
    this.report.adopted = adopted.length
    await this.#countAdopted(adopted, marketBefore)
    return adopted
  }

  /** The days of adopted securities now count for the market of their company. */
  async #countAdopted(
    adopted: readonly Security[],
    marketBefore: ReadonlyMap<Security, string>,
  ): Promise<void> {
    const years = { first: firstYear, last: firstYear + yearStarts.length }
    const ids = adopted.flatMap(({ assetId }) => assetId ?? [])
    const recorded = await readRecordedBlocks(this.transaction, ids, years)
    for (const security of adopted) {
      const before = this.#closesOf(marketBefore.get(security) ?? '')
      const now = this.#closesOf(security.market ?? '')
      for (const rows of recorded.get(security.assetId ?? 0)?.values() ?? [])
        for (let start = 0; start < rows.count; ) {
          let end = start
          while (end < rows.count && rows.days[end] === rows.days[start]) end++
          listCloses(rows, start, end, -1, before.add)
          listCloses(rows, start, end, 1, now.add)
          start = end
        }
    }
  }

  /** Cuts the rows of each symbol into those of one company. */
  async #parts(): Promise<Part[]> {
    const { read, sorted, options, transaction, report } = this
    const names = sorted.groups.map(group => ({
      symbol: read.symbols[group.symbol],
      market: read.markets[group.market] ?? '',
    }))
    const named = await findCompaniesOfSymbols(idReader(transaction), options.markets, names)
    const parts: Part[] = []
    for (const [index, group] of sorted.groups.entries()) {
      const days = named[index]
      let start = group.start
      for (const [at, stretch] of days.entries()) {
        const until = days[at + 1]?.from ?? Number.POSITIVE_INFINITY
        let end = start
        while (end < group.end && this.#rows.days[sorted.order[end]] < until) end++
        if (end > start) this.#addPart(parts, names[index], stretch, start, end)
        start = end
      }
    }
    report.unresolved.sort((a, b) => b.rows - a.rows)
    return parts
  }

  #addPart(
    parts: Part[],
    { symbol, market }: { readonly symbol: string; readonly market: string },
    { company, isAssumed, reason }: NamedDays,
    start: number,
    untrimmed: number,
  ): void {
    const { report, sorted } = this
    const ofMarket = company?.market ?? market
    const end = this.#withoutLate(start, untrimmed, ofMarket)
    if (end === start) return
    const firstDay = this.#rows.days[sorted.order[start]]
    const lastDay = this.#rows.days[sorted.order[end - 1]]
    if (isAssumed) report.assumed += end - start
    if (company === null) {
      report.unresolvedRows += end - start
      const days = { from: isoDate(firstDay), to: isoDate(lastDay) }
      report.unresolved.push({ symbol, market, rows: end - start, ...days, reason })
    }
    parts.push({
      symbol,
      market: ofMarket,
      entityId: company?.entityId ?? null,
      firstDay,
      lastDay,
      start,
      end,
    })
  }

  /** Refuses the rows at the end that are dated in the future, or after the day on which they are said to be known. */
  #withoutLate(start: number, end: number, market: string): number {
    const { known } = this.options
    const today = this.#today(market)
    const stated = known !== null && known !== 'import' && known !== 'date' ? dayNumber(known) : today
    let last = end
    for (; last > start; last--) {
      const row = this.sorted.order[last - 1]
      const day = this.#rows.days[row]
      if (day <= stated && day <= today) break
      const reason =
        day > today
          ? `date ${isoDate(day)} is in the future: it is ${isoDate(today)} in the market`
          : `date ${isoDate(day)} is after the stated known day ${known}, but no close is known before the end of its own day`
      this.#fault(row, reason, 1)
    }
    return last
  }

  #closesOf(market: string): CloseCounts {
    const known = this.#closes.get(market)
    if (known !== undefined) return known
    const closes = new CloseCounts()
    this.#closes.set(market, closes)
    return closes
  }

  #marketDays(): MarketDay[] {
    return [...this.#closes].flatMap(([market, closes]) => closes.changes().map(day => ({ market, ...day })))
  }

  #today(market: string): number {
    const cached = this.#todays.get(market)
    if (cached !== undefined) return cached
    const zone = this.options.markets.get(market)?.calendar.timezone ?? easternmostZone
    const today = dayNumber(localDay(this.options.now(), zone))
    this.#todays.set(market, today)
    return today
  }

  async #storeBatch(
    batch: readonly (readonly [Security, readonly Part[]])[],
    ids: ReadonlyMap<Security, number>,
    importId: number,
  ): Promise<void> {
    const { transaction } = this
    const years = {
      first: yearOf(Math.min(...batch.flatMap(([, parts]) => parts.map(({ firstDay }) => firstDay)))),
      last: yearOf(
        Math.max(...batch.flatMap(([, parts]) => parts.map(({ lastDay }) => lastDay))) + maxGapDays,
      ),
    }
    const old = batch.flatMap(([{ assetId }]) => assetId ?? [])
    const recorded = await readRecordedBlocks(transaction, old, years)
    const exact = await readExactSymbols(transaction, old)
    const blocks: NewBlock[] = []
    const replaced: BlockKey[] = []
    const counts = new Map<number, number>()
    const named = new Map<number, NamedSymbols>()
    for (const [security, parts] of batch) {
      const assetId = ids.get(security) ?? 0
      const symbolOfDay = new SymbolOfDay(exact.get(assetId) ?? [], recorded.get(assetId) ?? new Map())
      const { latest } = symbolOfDay
      if (this.set.basis !== 'raw' && latest !== null)
        symbolOfDay.admitRestated(this.#daysOf(parts, latest), security.firstDay)
      const incoming = this.#gather(parts, security, importId, symbolOfDay)
      const closes = this.#closesOf(security.market ?? '')
      const symbols = new NamedSymbols(
        parts.map(part => ({ ...part, has: (day, knownDay) => this.#has(part, security, day, knownDay) })),
        importId,
      )
      for (let start = 0; start < incoming.count; ) {
        const year = yearOf(incoming.days[start])
        const end = endOfYear(incoming.days, start, year)
        const before = recorded.get(assetId)?.get(year)
        const merged = mergePrices(
          before ?? emptyPriceRows(0),
          slice(incoming, start, end),
          this.#absent,
          closes.add,
        )
        this.report.stored += merged.stored
        this.report.unchanged += merged.unchanged
        this.report.withoutClose += merged.withoutClose
        if (merged.stored > 0) {
          if (before !== undefined) replaced.push({ assetId, year })
          symbols.add(merged.rows)
          named.set(assetId, symbols)
          counts.set(assetId, (counts.get(assetId) ?? 0) + merged.stored)
          blocks.push({ assetId, year, bytes: encodePriceBlock(merged.rows, 0, merged.rows.count) })
        }
        start = end
      }
    }
    await deleteBlocks(transaction, replaced)
    await copyBlocks(transaction, each(blocks))
    await countPrices(transaction, counts)
    const known = await readSymbols(
      transaction,
      old.filter(assetId => named.has(assetId)),
    )
    for (const [assetId, symbols] of named)
      for (const symbol of symbols.beyond(known.get(assetId) ?? []))
        this.#symbols.push({ assetId, ...symbol })
  }

  #daysOf(parts: readonly Part[], symbol: string): ReadonlySet<number> {
    const days = new Set<number>()
    for (const part of parts)
      if (part.symbol === symbol)
        for (let at = part.start; at < part.end; at++) days.add(this.#rows.days[this.sorted.order[at]])
    return days
  }

  /** Whether a part has a row of a day that is known from a day on. */
  #has({ start, end }: Part, security: Security, day: number, knownDay: number): boolean {
    const { order } = this.sorted
    const source = this.#rows
    let low = start
    let high = end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (source.days[order[middle]] < day) low = middle + 1
      else high = middle
    }
    if (!source.has.has('known'))
      return (
        low < end && source.days[order[low]] === day && (this.#statedKnownDay(security) ?? day) === knownDay
      )
    for (; low < end && source.days[order[low]] === day; low++)
      if (source.knownDays[order[low]] === knownDay) return true
    return false
  }

  /** The day from which on the rows of a file that states none are known; null: each from its own day. */
  #statedKnownDay(security: Security): number | null {
    const { known } = this.options
    if (known === 'date') return null
    return known === null || known === 'import' ? this.#today(security.market ?? '') : dayNumber(known)
  }

  /** The rows of a security in order of day and known day. Repeated rows are left out, contradicting ones refused. */
  #gather(parts: readonly Part[], security: Security, importId: number, symbolOfDay: SymbolOfDay): PriceRows {
    const { order } = this.sorted
    const source = this.#rows
    const inOrder = parts.toSorted((a, b) => a.firstDay - b.firstDay)
    const total = inOrder.reduce((sum, { start, end }) => sum + end - start, 0)
    const chosen = new Int32Array(total)
    let filled = 0
    for (const { start, end } of inOrder) {
      chosen.set(order.subarray(start, end), filled)
      filled += end - start
    }
    const hasKnown = source.has.has('known')
    const after = (a: number, b: number) =>
      source.days[a] - source.days[b] || (hasKnown ? source.knownDays[a] - source.knownDays[b] : 0)
    const hasOthers = symbolOfDay.latest !== null
    const overlap = inOrder.some((part, at) => at > 0 && part.firstDay <= inOrder[at - 1].lastDay)
    if (overlap) chosen.sort(after)
    const today = this.#today(security.market ?? '')
    const fixed = this.#statedKnownDay(security)
    const rows = emptyPriceRows(total)
    let count = 0
    for (let at = 0; at < total; ) {
      const row = chosen[at]
      let next = at + 1
      let differs = false
      let other = hasOthers ? this.#contradicted(symbolOfDay, row) : null
      while (next < total && after(chosen[next], row) === 0) {
        if (!statesTheSame(source, row, chosen[next])) differs = true
        if (other !== null) other = this.#contradicted(symbolOfDay, chosen[next])
        next++
      }
      const isLate = hasKnown && source.knownDays[row] > today
      if (differs) {
        this.report.contradicting += next - at
        this.#fault(
          row,
          `${security.symbols.at(-1)} has ${next - at} different rows for ${isoDate(source.days[row])}: none of them was stored; keep the correct one`,
          next - at,
        )
      } else if (other !== null)
        this.#fault(
          row,
          `${this.#symbolOf(row)} of ${isoDate(source.days[row])} is on record as ${other}, with another close or none: a correction must have the symbol of its day, and an adjusted set is stated anew with all days on record in one file; if these are two securities, remove the set and import all symbols of the company in one file`,
          next - at,
        )
      else if (isLate)
        this.#fault(row, `known is ${isoDate(source.knownDays[row])}, which is in the future`, next - at)
      else {
        this.report.repeated += next - at - 1
        const day = source.days[row]
        if ((day + 3) % 7 >= 5) this.report.weekend++
        rows.days[count] = day
        rows.knownDays[count] = hasKnown ? source.knownDays[row] : (fixed ?? day)
        count++
        this.#copyNumbers(rows, count - 1, row)
      }
      at = next
    }
    rows.imports.fill(importId)
    return slice(rows, 0, count)
  }

  /** The symbol that the security has on the day of a row, if the row contradicts it. */
  #contradicted(symbolOfDay: SymbolOfDay, row: number): string | null {
    const { days, numbers } = this.#rows
    return symbolOfDay.contradicted(this.#symbolOf(row), days[row], numbers.close[row])
  }

  #symbolOf(row: number): string {
    return this.read.symbols[this.#rows.symbolOf[row]]
  }

  #copyNumbers(rows: PriceRows, to: number, from: number): void {
    const { numbers } = this.#rows
    rows.closes[to] = numbers.close[from]
    if (!this.#absent.volumes) rows.volumes[to] = numbers.volume[from]
    if (!this.#absent.splitFactors) rows.splitFactors[to] = numbers.split_factor[from]
    if (!this.#absent.dividends) rows.dividends[to] = numbers.dividend[from]
    if (!this.#absent.delistingReturns) rows.delistingReturns[to] = numbers.delisting_return[from]
  }

  #fault(row: number, reason: string, rows: number): void {
    this.report.refused += rows
    if (this.report.faults.length < maxFaults)
      this.report.faults.push({ line: this.#rows.lineOf(row), reason })
  }
}

async function* each(blocks: readonly NewBlock[]): AsyncGenerator<NewBlock> {
  yield* blocks
}

/** Rows `start` to `end`, without copying them. */
function slice(rows: PriceRows, start: number, end: number): PriceRows {
  return {
    count: end - start,
    days: rows.days.subarray(start, end),
    knownDays: rows.knownDays.subarray(start, end),
    imports: rows.imports.subarray(start, end),
    closes: rows.closes.subarray(start, end),
    volumes: rows.volumes.subarray(start, end),
    splitFactors: rows.splitFactors.subarray(start, end),
    dividends: rows.dividends.subarray(start, end),
    delistingReturns: rows.delistingReturns.subarray(start, end),
  }
}
