import { addSums, noSums, type SumReport } from '../../facts/balanceChecks.ts'
import type { Sql } from '../../postgres/client.ts'
import { importRegister } from '../import/importRegister.ts'
import type { SkippedDocument } from '../reading/progress.ts'
import type { Register } from '../registers/register.ts'
import type { SyncOptions } from './options.ts'
import { markImported, readFilesOfSubjects, readWaitingFiles, type WaitingFile } from './queries.ts'

/** What the importer made of the files. */
export interface Imported {
  documents: number
  statements: number
  factsAdded: number
  factsRemoved: number
  repeats: number
  malformed: number
  /** Filings whose day no document has told, after the last import. */
  awaiting: number
  readonly sums: SumReport
  dataVersion: number | null
  readonly leftOut: Map<string, number>
  skipped: SkippedDocument[]
}

export const nothingImported = (): Imported => ({
  ...{ documents: 0, statements: 0, factsAdded: 0, factsRemoved: 0, repeats: 0, malformed: 0, awaiting: 0 },
  sums: noSums(),
  dataVersion: null,
  leftOut: new Map(),
  skipped: [],
})

const filesPerImport = 500
const bytesPerImport = 256 * 1024 * 1024

/** Imports what was fetched and not imported yet: the register as it was read on each day. What the importer skips waits on, and is told each time. */
export async function importWaiting(
  sql: Sql,
  register: Register,
  options: SyncOptions,
  imported: Imported,
): Promise<void> {
  let after: WaitingFile | null = null
  imported.skipped = []
  while (!options.signal.aborted) {
    const waiting: readonly WaitingFile[] = await readWaitingFiles(
      sql,
      register.market,
      after,
      filesPerImport,
    )
    const batch = batchOf(waiting)
    after = batch.at(-1) ?? null
    if (after === null) return
    await importBatch(sql, register, options, batch, imported)
    options.onProgress()
  }
}

/** Files of one day, and not too much of them. */
function batchOf(waiting: readonly WaitingFile[]): readonly WaitingFile[] {
  let bytes = 0
  let files = 0
  for (const file of waiting) {
    bytes += file.bytes
    if (files > 0 && (file.pulledOn !== waiting[0].pulledOn || bytes > bytesPerImport)) break
    files++
  }
  return waiting.slice(0, files)
}

/** Files that came before and make sense with those of the batch. */
async function readCompanions(
  sql: Sql,
  { market, explainingNames }: Register,
  batch: readonly WaitingFile[],
): Promise<readonly string[]> {
  const explains = (path: string) => explainingNames?.test(path) ?? true
  const subjectsOf = (files: readonly WaitingFile[]) => [
    ...new Set(files.flatMap(({ subject }) => subject ?? [])),
  ]
  const explained = subjectsOf(batch.filter(({ path }) => explains(path)))
  const others = subjectsOf(batch).filter(subject => !explained.includes(subject))
  const explaining = (await readFilesOfSubjects(sql, market, others)).filter(explains)
  return [...(await readFilesOfSubjects(sql, market, explained)), ...explaining]
}

async function importBatch(
  sql: Sql,
  register: Register,
  { archive, onProgress }: SyncOptions,
  batch: readonly WaitingFile[],
  imported: Imported,
): Promise<void> {
  const companions = register.overwrites ? [] : await readCompanions(sql, register, batch)
  const paths = new Map<string, string>()
  for (const path of new Set([...batch.map(file => file.path), ...companions])) {
    const isDocument = /\.zip$/i.test(path) || register.documentNames.test(path.replace(/\.gz$/i, ''))
    if (!isDocument) continue
    if (await archive.has(path)) paths.set(archive.locate(path), path)
    else imported.skipped.push({ name: path, reason: 'It is not in the archive of this DATA_DIR.' })
  }
  if (paths.size === 0) return
  const { pulledOn } = batch[0]
  const { read, written } = await importRegister(
    sql,
    register,
    { paths: [...paths.keys()], pulledOn },
    onProgress,
  )
  imported.documents += read.documents
  imported.malformed += read.malformed
  imported.statements += written.statements
  imported.factsAdded += written.factsAdded
  imported.factsRemoved += written.factsRemoved
  imported.repeats += written.repeats
  imported.awaiting = written.awaiting
  addSums(imported.sums, written.sums)
  imported.dataVersion = written.dataVersion
  for (const [reason, count] of read.leftOut)
    imported.leftOut.set(reason, (imported.leftOut.get(reason) ?? 0) + count)
  imported.skipped.push(...read.skipped)
  const skipped = read.skipped.map(({ name }) => name)
  const isSkipped = (file: string) => skipped.some(name => name === file || name.startsWith(`${file}!`))
  await markImported(
    sql,
    [...paths].filter(([file]) => !isSkipped(file)).map(([, path]) => path),
  )
}
