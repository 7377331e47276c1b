import { readSync } from 'node:fs'
import { type BodySource, type SentBody, withBody } from '../../../backtest/codec/bodyBytes.ts'
import { dayNumber } from '../../../dates.ts'
import { Failure } from '../../../errors.ts'
import type { Sql } from '../../../postgres/client.ts'
import type { PriceBasis } from '../../../prices/priceSeries.ts'
import { type ReadPrices, readCsvPrices } from './csvPrices.ts'
import { analyzePrices, type LockedSet, lockPriceSet, type StatedSet } from './importQueries.ts'
import { easternmostZone, localDay } from './marketClock.ts'
import { readParquetPrices } from './parquetPrices.ts'
import type { PriceImport, PriceImportOptions } from './priceImport.ts'
import { SetImport } from './setImport.ts'
import { sortRows } from './sortRows.ts'
import type { StagedPrices } from './stagedPrices.ts'

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
