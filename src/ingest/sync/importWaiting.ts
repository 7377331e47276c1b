import { addBalanceReport, type BalanceReport, emptyBalanceReport } from '../../facts/balanceChecks.ts'
import type { Sql } from '../../postgres/client.ts'
import { importRegister } from '../import/importRegister.ts'
import { NamedFaults } from '../reading/namedFaults.ts'
import type { SkippedDocument } from '../reading/progress.ts'
import type { Register } from '../registers/registerInterface.ts'
import type { SyncOptions } from './options.ts'
import { markImported, readFilesOfSubjects, readWaitingFiles, type WaitingFile } from './queries.ts'

/** Totals of the imports of a run. */
export interface ImportTotals {
  documents: number
  reportedFacts: number
  factsAdded: number
  factsRemoved: number
  repeats: number
  malformed: number
  readonly faults: NamedFaults
  readonly contradictions: NamedFaults
  /** Filings dated after the day on which they were fetched, by accession. */
  readonly futureFilings: Map<string, number>
  /** Filings whose date is still unknown after the last import. */
  undatedFilings: number
  /** Filings of the imported lists whose time is not certain, summed over the imports of the run. */
  untimedFilings: number
  readonly balances: BalanceReport
  dataVersion: number | null
  readonly leftOut: Map<string, number>
  skipped: SkippedDocument[]
}

export const newImportTotals = (): ImportTotals => ({
  ...{
    documents: 0,
    reportedFacts: 0,
    factsAdded: 0,
    factsRemoved: 0,
    repeats: 0,
    malformed: 0,
    undatedFilings: 0,
    untimedFilings: 0,
  },
  faults: new NamedFaults(),
  contradictions: new NamedFaults(),
  futureFilings: new Map(),
  balances: emptyBalanceReport(),
  dataVersion: null,
  leftOut: new Map(),
  skipped: [],
})

const maxFilesPerImport = 500
const maxBytesPerImport = 256 * 1024 * 1024

/**
 * Imports fetched files that have not been imported yet, day by day: each file states what the register
 * contained on its day. Files that the importer skips are tried and reported again in each run.
 */
export async function importWaiting(
  sql: Sql,
  register: Register,
  options: SyncOptions,
  imported: ImportTotals,
): Promise<void> {
  let after: WaitingFile | null = null
  imported.skipped = []
  while (!options.signal.aborted) {
    const waiting: readonly WaitingFile[] = await readWaitingFiles(
      sql,
      register.market,
      after,
      maxFilesPerImport,
    )
    const batch = nextBatch(waiting)
    after = batch.at(-1) ?? null
    if (after === null) return
    await importBatch(sql, register, options, batch, imported)
    options.onProgress()
  }
}

/**
 * The next files to import together: those at the front of the list that are of the same day and within the
 * byte limit.
 */
function nextBatch(waiting: readonly WaitingFile[]): readonly WaitingFile[] {
  let bytes = 0
  let files = 0
  for (const file of waiting) {
    bytes += file.bytes
    if (files > 0 && (file.pulledOn !== waiting[0].pulledOn || bytes > maxBytesPerImport)) break
    files++
  }
  return waiting.slice(0, files)
}

/**
 * Earlier files on the subjects of a batch, which only make sense together with it. A file that explains
 * others (`explainingNames`) needs all files of its subject; any other file only needs those that explain it.
 */
async function readRelatedFiles(
  sql: Sql,
  { market, explainingNames }: Register,
  batch: readonly WaitingFile[],
): Promise<readonly string[]> {
  const explains = (path: string) => explainingNames?.test(path) ?? true
  const subjectsOf = (files: readonly WaitingFile[]) => [
    ...new Set(files.flatMap(({ subject }) => subject ?? [])),
  ]
  const newlyExplained = subjectsOf(batch.filter(({ path }) => explains(path)))
  const others = subjectsOf(batch).filter(subject => !newlyExplained.includes(subject))
  const explaining = (await readFilesOfSubjects(sql, market, others)).filter(explains)
  return [...(await readFilesOfSubjects(sql, market, newlyExplained)), ...explaining]
}

async function importBatch(
  sql: Sql,
  register: Register,
  { archive, onProgress }: SyncOptions,
  batch: readonly WaitingFile[],
  imported: ImportTotals,
): Promise<void> {
  const related = register.overwrites ? [] : await readRelatedFiles(sql, register, batch)
  /** Archive path by absolute path. */
  const paths = new Map<string, string>()
  for (const path of new Set([...batch.map(file => file.path), ...related])) {
    const isDocument = /\.zip$/i.test(path) || register.documentNames.test(path.replace(/\.gz$/i, ''))
    if (!isDocument) continue
    if (await archive.has(path)) paths.set(archive.locate(path), path)
    else imported.skipped.push({ name: path, reason: 'The file is not in the archive of this DATA_DIR.' })
  }
  if (paths.size === 0) return
  const { pulledOn } = batch[0]
  const { read, written } = await importRegister(
    sql,
    register,
    { paths: [...paths.keys()], observedOn: pulledOn },
    onProgress,
  )
  imported.documents += read.documents
  imported.malformed += read.malformed
  imported.faults.addAll(read.faults)
  imported.contradictions.addAll(read.contradictions)
  for (const [accession, day] of read.futureFilings) imported.futureFilings.set(accession, day)
  imported.reportedFacts += written.reportedFacts
  imported.factsAdded += written.factsAdded
  imported.factsRemoved += written.factsRemoved
  imported.repeats += written.repeats
  imported.undatedFilings = written.undatedFilings
  imported.untimedFilings += written.untimedFilings
  addBalanceReport(imported.balances, written.balances)
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
