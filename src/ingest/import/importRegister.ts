import { dayNumber, type IsoDate } from '../../dates.ts'
import { type Filing, unknownFilingDate } from '../../facts/reportedFact.ts'
import type { Sql } from '../../postgres/client.ts'
import { newReadProgress, type ReadProgress, type ReadUnit } from '../reading/progress.ts'
import type { Register } from '../registers/registerInterface.ts'
import { dropSecondaryIndexes } from '../store/bulkIndexes.ts'
import { readImportedFiles } from '../store/importQueries.ts'
import { type ImportSummary, importFacts } from './importFacts.ts'
import { listFiles } from './listFiles.ts'
import { readUnits } from './readFiles.ts'

export interface RegisterFiles {
  /** Files, folders and zips. */
  readonly paths: readonly string[]
  /** The day on which the register was read; only used if the register overwrites. */
  readonly observedOn: IsoDate
  /**
   * False if the day is only assumed. Content that was imported before is then skipped, because it may be an
   * old file. If the day is known, the same content on another day is a new observation.
   */
  readonly isDayKnown?: boolean
  /** Today, if `observedOn` is another day. Filings dated later are counted and named. */
  readonly today?: IsoDate
  /**
   * True if indexes that slow down a large load are dropped and created again at its end. The load is then
   * faster, and cross-sections and name searches are slower until it ends.
   */
  readonly isBulk?: boolean
  /** See `ImportOptions`. */
  readonly factsPerBatch?: number
}

export interface RegisterImport {
  readonly read: ReadProgress
  readonly written: ImportSummary
}

interface ImportProgress {
  readonly read: ReadProgress
  readonly bytesTotal: number
}

/** Imports files of a register. Files that an earlier run imported completely are skipped. */
export async function importRegister(
  sql: Sql,
  register: Register,
  { paths, observedOn, isDayKnown = true, isBulk = false, today = observedOn, ...batches }: RegisterFiles,
  onProgress: (progress: ImportProgress) => void,
): Promise<RegisterImport> {
  const files = await listFiles(paths, register.documentNames)
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0)
  const read: ReadProgress = newReadProgress(() => onProgress({ read, bytesTotal }))
  const { market, rules, settleTimes = null, overwrites = false, replaces = false } = register
  const dated = overwrites && isDayKnown ? datedRegister(register, observedOn) : register
  const units = readUnits(dated, files, await readImportedFiles(sql), read)
  const overwriting = overwrites ? { observedOn: dayNumber(observedOn), replaces } : {}
  if (isBulk) await dropSecondaryIndexes(sql)
  const seen = { settleTimes, seenOn: observedOn }
  const options = { source: market.toLowerCase(), rules, ...seen, ...overwriting, ...batches }
  const written = await importFacts(sql, notingFutureFilings(units, dayNumber(today), read), options)
  return { read, written }
}

/** Passes units on and records which filings are dated after today. They are stored now and served from that
 * date on. */
async function* notingFutureFilings(
  units: AsyncIterable<ReadUnit>,
  today: number,
  { futureFilings }: ReadProgress,
): AsyncGenerator<ReadUnit> {
  const note = ({ accession, filed }: Filing) => {
    if (filed > today && filed !== unknownFilingDate) futureFilings.set(accession, filed)
  }
  for await (const unit of units) {
    for (const { reportedFacts, filings } of unit.parsed) {
      for (const { filing } of reportedFacts) note(filing)
      for (const filing of filings) note(filing)
    }
    yield unit
  }
}

/**
 * A register that overwrites may return to an earlier version of a document. The same content is then a new observation
 * on its day. This text is part of stored content keys, so changing it would cause all files to be read again.
 */
const datedRegister = (register: Register, day: IsoDate): Register => ({
  ...register,
  derivationVersion: () => `${register.derivationVersion()} pulled ${day}`,
})
