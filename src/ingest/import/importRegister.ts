import { dayNumber, type IsoDate } from '../../dates.ts'
import type { Sql } from '../../postgres/client.ts'
import { type ReadProgress, startReading } from '../reading/progress.ts'
import type { Register } from '../registers/register.ts'
import { setIndexesAside } from '../store/bulkIndexes.ts'
import { readImportedFiles } from '../store/fileQueries.ts'
import { readUnits } from './documents.ts'
import { listFiles } from './files.ts'
import { type ImportSummary, importStatements } from './importStatements.ts'

export interface RegisterFiles {
  /** Files, folders and zips. */
  readonly paths: readonly string[]
  /** The day on which they were read from the register; it counts where the register overwrites. */
  readonly pulledOn: IsoDate
  /** False: the day is only supposed. Content that was imported before is then passed over, for it may be an old file;
   * where the day is told, the same content on another day is news. */
  readonly dayIsTold?: boolean
  /** Indexes that cost a large load much are put aside and written at its end: it takes less time, and cross-sections and
   * searches for names take more until then. */
  readonly isBulk?: boolean
}

export interface RegisterImport {
  readonly read: ReadProgress
  readonly written: ImportSummary
}

export interface ImportState {
  readonly read: ReadProgress
  readonly bytesTotal: number
}

/** Imports files of a register. Files that an earlier run imported to their end are passed over. */
export async function importRegister(
  sql: Sql,
  register: Register,
  { paths, pulledOn, dayIsTold = true, isBulk = false }: RegisterFiles,
  onProgress: (state: ImportState) => void,
): Promise<RegisterImport> {
  const files = await listFiles(paths, register.documentNames)
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0)
  const read: ReadProgress = startReading(() => onProgress({ read, bytesTotal }))
  const { market, rules, overwrites = false, replaces = false } = register
  const dated = overwrites && dayIsTold ? datedRegister(register, pulledOn) : register
  const units = readUnits(dated, files, await readImportedFiles(sql), read)
  const pulled = overwrites ? { pulledOn: dayNumber(pulledOn), replaces } : {}
  if (isBulk) await setIndexesAside(sql)
  const written = await importStatements(sql, units, { source: market.toLowerCase(), rules, ...pulled })
  return { read, written }
}

/** A register that overwrites may say again what it said before something else: then the same content is news, as of its
 * day. */
const datedRegister = (register: Register, day: IsoDate): Register => ({
  ...register,
  mapping: `${register.mapping} pulled ${day}`,
})
