import { usRules } from '../../registers/us/concepts.ts'
import { listFiles } from '../../registers/us/source/listFiles.ts'
import { type ReadProgress, readUnits, startReading } from '../../registers/us/source/readUnits.ts'
import type { Sql } from '../../store/database.ts'
import { readImportedFiles } from '../../store/facts/importFiles.ts'
import { type ImportSummary, importStatements } from './importStatements.ts'

export interface UsImport {
  readonly read: ReadProgress
  readonly written: ImportSummary
}

export interface UsImportState {
  readonly read: ReadProgress
  readonly bytesTotal: number
}

/** Imports SEC files, folders and zips. Files that an earlier run imported to their end are passed over. */
export async function importUs(
  sql: Sql,
  paths: readonly string[],
  onProgress: (state: UsImportState) => void,
): Promise<UsImport> {
  const files = await listFiles(paths)
  const bytesTotal = files.reduce((sum, file) => sum + file.bytes, 0)
  const read: ReadProgress = startReading(() => onProgress({ read, bytesTotal }))
  const units = readUnits(files, await readImportedFiles(sql), read)
  const written = await importStatements(sql, units, { source: 'us', rules: usRules })
  return { read, written }
}
