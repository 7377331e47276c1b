import { readSync } from 'node:fs'
import { type BodySource, type SentBody, withBody } from '../../../backtest/codec/bodyBytes.ts'
import { dayNumber, type IsoDate, isoDate } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { Markets } from '../../../markets/markets.ts'
import type { Sql, TransactionSql } from '../../../postgres/client.ts'
import { encodePriceBlock } from '../../../prices/priceBlock.ts'
import { emptyPriceRows, type PriceRows } from '../../../prices/priceRows.ts'
import type { PriceBasis } from '../../../prices/priceSeries.ts'
import { idReader } from '../../companies/symbols.ts'
import { type ReadPrices, readCsvPrices } from './csvPrices.ts'
import { findCompaniesOfSymbols, type NamedDays } from './findCompanies.ts'
import {
  analyzePrices,
  type BlockKey,
  copyBlocks,
  countPrices,
  deleteBlocks,
  type LockedSet,
  lockPriceSet,
  type MarketDay,
  type NewBlock,
  nextImportId,
  readRecordedBlocks,
  readSecurities,
  recordImport,
  type StatedSet,
  saveSecurities,
} from './importQueries.ts'
import { type AbsentColumns, mergePrices } from './mergePrices.ts'
import { readParquetPrices } from './parquetPrices.ts'
import { assignSecurities, type Security, type SymbolDays } from './securities.ts'
import { type SortedRows, sortRows, statesTheSame } from './sortRows.ts'
import { maxFaults, type PriceFault, type StagedPrices } from './stagedPrices.ts'

/**
 * When rows became known, unless the file has a column for it. import: on the day of the import. date: at the end of
 * their own day. Otherwise the day that the operator states.
 */
export type KnownRule = 'import' | 'date' | IsoDate

export interface PriceImportOptions extends StatedSet {
  /** Null: `import`, or the column `known` if there is one. */
  readonly known: KnownRule | null
  /** The day for which adjusted closes were adjusted; null: a stated known day, otherwise the day of the import. */
  readonly adjustedOn: IsoDate | null
  readonly markets: Markets
  readonly now: () => Date
  /** @param share from 0 to 1 */
  readonly onProgress?: (share: number, note: string) => void
}

export interface UnresolvedSymbol {
  readonly symbol: string
  readonly market: string
  readonly rows: number
  readonly from: IsoDate
  readonly to: IsoDate
  readonly reason: string
}

export interface PriceImport {
  readonly set: string
  /** Whether this import creates the set. */
  isNew: boolean
  /** Valid rows of the file. */
  rows: number
  stored: number
  unchanged: number
  repeated: number
  /** Rows that contradict another row of the file about the same security, day and known day; none of them is stored. */
  contradicting: number
  withoutClose: number
  refused: number
  readonly faults: PriceFault[]
  /** Rows dated on a Saturday or Sunday. */
  weekend: number
  /** Rows of symbols that today's company is only assumed to have had on their days. */
  assumed: number
  companies: number
  securities: number
  unresolvedRows: number
  /** Every symbol without a company, with the rows that have none. */
  readonly unresolved: UnresolvedSymbol[]
  /** Securities of earlier imports whose company is known by now. */
  adopted: number
  known: string
  /** Null if nothing changed. */
  dataVersion: number | null
}

/** Thrown to leave no trace of an import that changes nothing. */
class NothingChanged extends Error {}

/**
 * Imports a file of prices in one transaction: either all of it is visible, under one data version, or nothing is.
 * Importing the same file again changes nothing; a correction stores only the rows that differ.
 */
export async function importPrices(
  sql: Sql,
  file: { readonly name: string; readonly body: SentBody },
  options: PriceImportOptions,
): Promise<PriceImport> {
  const read = await withBody(file.body, source => readFile(source, file.name, options))
  if (read.rows.has.has('known') && options.known !== null)
    throw new Failure(
      'parameter_invalid',
      `${file.name} has a column known, so --known cannot be given, too. Remove one of them.`,
      { param: 'known' },
    )
  const sorted = sortRows(read.rows, read.symbols.length, read.markets.length)
  const report = emptyReport(options, read.rows)
  try {
    await sql.begin(async transaction => {
      const set = await lockPriceSet(transaction, options)
      checkSet(set, options)
      report.isNew = set.isNew
      await new SetImport(transaction, set, read, sorted, options, report).run(file.name)
      if (report.stored === 0 && report.adopted === 0) throw new NothingChanged()
    })
  } catch (error) {
    if (error instanceof NothingChanged) return { ...report, dataVersion: null }
    throw error
  }
  await analyzePrices(sql)
  return report
}

async function readFile(source: BodySource, name: string, options: PriceImportOptions): Promise<ReadPrices> {
  const { now, onProgress } = options
  // East of UTC it may already be tomorrow.
  const lastDay = dayNumber(localDay(now(), easternmostZone))
  if (isParquet(source)) return readParquetPrices(source, name, lastDay)
  const total = source instanceof Uint8Array ? source.length : source.bytes
  return readCsvPrices(source, name, lastDay, async bytes => {
    onProgress?.((0.5 * bytes) / total, 'reading')
    await Bun.sleep(0)
  })
}

function isParquet(source: BodySource): boolean {
  if (source instanceof Uint8Array) return Buffer.from(source.subarray(0, 4)).toString('latin1') === 'PAR1'
  const head = Buffer.alloc(4)
  readSync(source.descriptor, head, 0, 4, 0)
  return head.toString('latin1') === 'PAR1'
}

function checkSet(set: LockedSet | null, { name, currency, basis }: StatedSet): asserts set is LockedSet {
  if (set === null)
    throw new Failure(
      'parameter_invalid',
      `There is no price set ${name} yet. Its first import states its currency, for example --currency USD, and what its closes are: --raw, --adjusted splits or --adjusted total.`,
    )
  if (currency !== null && currency !== set.currency)
    throw new Failure(
      'conflict',
      `The price set ${name} is in ${set.currency}, not in ${currency}. Import other currencies into a set of their own.`,
    )
  if (basis !== null && basis !== set.basis)
    throw new Failure(
      'conflict',
      `The closes of the price set ${name} are ${basisWords[set.basis]}, not ${basisWords[basis]}. Import them into a set of their own.`,
    )
}

export const basisWords: Readonly<Record<PriceBasis, string>> = {
  raw: 'as traded (raw)',
  split_adjusted: 'adjusted for splits',
  total_return: 'adjusted for splits and dividends',
}

const emptyReport = (options: PriceImportOptions, rows: StagedPrices): PriceImport => ({
  set: options.name,
  isNew: false,
  rows: rows.count,
  stored: 0,
  unchanged: 0,
  repeated: 0,
  contradicting: 0,
  withoutClose: 0,
  refused: rows.refused,
  faults: rows.faults,
  weekend: 0,
  assumed: 0,
  companies: 0,
  securities: 0,
  unresolvedRows: 0,
  unresolved: [],
  adopted: 0,
  known: rows.has.has('known') ? 'column' : (options.known ?? 'import'),
  dataVersion: null,
})

/** The easternmost time zone, where each day begins first. */
const easternmostZone = 'Etc/GMT-14'

/** The Swedish date format is YYYY-MM-DD. */
const localDay = (now: Date, timeZone: string): IsoDate =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now)

/** The rows of one symbol that belong to one company, as positions in the order of rows. */
interface Part extends SymbolDays {
  readonly start: number
  readonly end: number
}

const securitiesPerBatch = 1_000

class SetImport {
  readonly #rows: StagedPrices
  readonly #absent: AbsentColumns
  readonly #todays = new Map<string, number>()
  readonly #closes = new Map<string, Int32Array>()

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
    }
    this.report.adopted = adopted.length
    await this.#countAdopted(adopted)
    return adopted
  }

  /** The days of adopted securities now count for their market. */
  async #countAdopted(adopted: readonly Security[]): Promise<void> {
    const years = { first: firstYear, last: firstYear + yearStarts.length }
    const ids = adopted.flatMap(({ assetId }) => assetId ?? [])
    const recorded = await readRecordedBlocks(this.transaction, ids, years)
    for (const { assetId, market } of adopted) {
      const closesOf = this.#closesOf(market ?? '')
      for (const rows of recorded.get(assetId ?? 0)?.values() ?? [])
        for (let at = 0; at < rows.count; at++)
          if (!Number.isNaN(rows.closes[at]) && rows.days[at] !== rows.days[at - 1])
            closesOf[rows.days[at] - firstDayOfTable]++
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

  /** The number of first closes of each day in a market, from 1900 on. */
  #closesOf(market: string): Int32Array {
    const known = this.#closes.get(market)
    if (known !== undefined) return known
    const closes = new Int32Array(yearStarts[yearStarts.length - 1] - firstDayOfTable)
    this.#closes.set(market, closes)
    return closes
  }

  #marketDays(): MarketDay[] {
    const days: MarketDay[] = []
    for (const [market, closes] of this.#closes)
      for (let at = 0; at < closes.length; at++)
        if (closes[at] > 0) days.push({ market, day: firstDayOfTable + at, closes: closes[at] })
    return days
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
      last: yearOf(Math.max(...batch.flatMap(([, parts]) => parts.map(({ lastDay }) => lastDay)))),
    }
    const old = batch.flatMap(([{ assetId }]) => assetId ?? [])
    const recorded = await readRecordedBlocks(transaction, old, years)
    const blocks: NewBlock[] = []
    const replaced: BlockKey[] = []
    const counts = new Map<number, number>()
    for (const [security, parts] of batch) {
      const assetId = ids.get(security) ?? 0
      const incoming = this.#gather(parts, security, importId)
      const closesOf = this.#closesOf(security.market ?? '')
      const countDay = (day: number) => {
        closesOf[day - firstDayOfTable]++
      }
      for (let start = 0; start < incoming.count; ) {
        const year = yearOf(incoming.days[start])
        const end = endOfYear(incoming.days, start, year)
        const before = recorded.get(assetId)?.get(year)
        const merged = mergePrices(
          before ?? emptyPriceRows(0),
          slice(incoming, start, end),
          this.#absent,
          countDay,
        )
        this.report.stored += merged.stored
        this.report.unchanged += merged.unchanged
        this.report.withoutClose += merged.withoutClose
        if (merged.stored > 0) {
          if (before !== undefined) replaced.push({ assetId, year })
          counts.set(assetId, (counts.get(assetId) ?? 0) + merged.stored)
          blocks.push({ assetId, year, bytes: encodePriceBlock(merged.rows, 0, merged.rows.count) })
        }
        start = end
      }
    }
    await deleteBlocks(transaction, replaced)
    await copyBlocks(transaction, each(blocks))
    await countPrices(transaction, counts)
  }

  /** The rows of a security in order of day and known day. Repeated rows are left out, contradicting ones refused. */
  #gather(parts: readonly Part[], security: Security, importId: number): PriceRows {
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
    const overlap = inOrder.some((part, at) => at > 0 && part.firstDay <= inOrder[at - 1].lastDay)
    if (overlap) chosen.sort(after)
    const { known } = this.options
    const today = this.#today(security.market ?? '')
    const fixed = known === null || known === 'import' ? today : known === 'date' ? null : dayNumber(known)
    const rows = emptyPriceRows(total)
    let count = 0
    for (let at = 0; at < total; ) {
      const row = chosen[at]
      let next = at + 1
      let differs = false
      while (next < total && after(chosen[next], row) === 0) {
        if (!statesTheSame(source, row, chosen[next])) differs = true
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
      } else if (isLate)
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
    if (this.report.faults.length < maxFaults) this.report.faults.push({ line: row + 2, reason })
  }
}

async function* each(blocks: readonly NewBlock[]): AsyncGenerator<NewBlock> {
  yield* blocks
}

const firstYear = 1900
const yearStarts = Int32Array.from({ length: 300 }, (_, index) => dayNumber(`${firstYear + index}-01-01`))
const firstDayOfTable = yearStarts[0]

/** The year of a day from 1900 on. */
export function yearOf(day: number): number {
  let year = firstYear + Math.floor((day - yearStarts[0]) / 365.2425)
  while (yearStarts[year - firstYear] > day) year--
  while (yearStarts[year - firstYear + 1] <= day) year++
  return year
}

function endOfYear(days: Int32Array, start: number, year: number): number {
  const next = yearStarts[year - firstYear + 1]
  let end = start
  while (end < days.length && days[end] < next) end++
  return end
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
