import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type IsoDate, isoDate } from '../../dates.ts'
import { Failure } from '../../errors.ts'
import type { Manifest } from '../../markets/manifest.ts'
import type { Sql } from '../../postgres/client.ts'
import { yearsOfFilings } from '../../wholeFilings/everyFilingQueries.ts'
import { loadTerms } from '../../wholeFilings/termQueries.ts'
import { BulkFile, type RowNames } from './bulkFile.ts'
import {
  type BulkSnapshot,
  estimateReportedRows,
  estimateRows,
  openBulkSnapshot,
  readFilings,
  readMarkets,
  readNames,
  readTickers,
  streamMarket,
} from './bulkQueries.ts'
import {
  type BulkFileEntry,
  type BulkManifest,
  buildFolder,
  makeManifest,
  manifestFile,
  readManifest,
  releaseFolder,
  releasesIn,
  removeLeftovers,
  removeRelease,
  reportedFolder,
  syncPath,
  unfinishedIn,
  writeDurably,
} from './release.ts'
import { type ReportedFiles, writeReported } from './reportedFiles.ts'
import { RowBuffer } from './rowBuffer.ts'

export interface BuildOptions {
  readonly sql: Sql
  /** The folder that stores releases. */
  readonly folder: string
  /** Rows filed after this day are omitted. */
  readonly today: IsoDate
  /** Manifests of the markets that may be redistributed. */
  readonly manifests: readonly Manifest[]
  /** The number of releases to keep. */
  readonly keep: number
  readonly signal: AbortSignal
  readonly onProgress: (state: { done: number; total: number; market: string }) => void
  readonly report: (line: string) => void
}

export interface BuiltRelease {
  readonly manifest: BulkManifest
  /** False if the release of this data version already existed. */
  readonly isNew: boolean
}

/**
 * Builds the release of the current data version from one snapshot of the database, market by market. If an
 * interrupted build was of the same data version, it resumes and keeps the files of finished markets.
 */
export async function buildRelease(options: BuildOptions): Promise<BuiltRelease> {
  const { sql, folder } = options
  mkdirSync(folder, { recursive: true })
  const snapshot = await openBulkSnapshot(sql)
  if (snapshot === null)
    throw new Failure(
      'conflict',
      'Another process builds bulk files of this database. Wait until it ends: ./asfiled bulk list shows its release then.',
    )
  try {
    const { dataVersion } = snapshot
    if (releasesIn(folder).includes(dataVersion))
      return { manifest: readManifest(folder, dataVersion), isNew: false }
    const manifest = await build(options, snapshot)
    const removed = releasesIn(folder).slice(options.keep)
    for (const version of removed) removeRelease(folder, version)
    removeLeftovers(folder, null)
    return { manifest, isNew: true }
  } finally {
    await snapshot.close()
  }
}

/** The progress of a build. */
interface BuildState {
  readonly format: number
  readonly asOf: IsoDate
  readonly markets: Readonly<Record<string, readonly BulkFileEntry[]>>
  /** Whole filings by market and year, like `US-2010`. */
  readonly reported: Readonly<Record<string, ReportedFiles>>
}

/** Files of different formats are not mixed in a release. Increment this with every change of the files. */
const format = 2
const stateFile = 'state.json'

async function build(options: BuildOptions, snapshot: BulkSnapshot): Promise<BulkManifest> {
  const { folder, manifests } = options
  const { dataVersion } = snapshot
  const draftFolder = buildFolder(folder, dataVersion)
  let state = resume(options, dataVersion)
  const present = await readMarkets(snapshot.rows)
  const allowed = manifests.filter(({ code }) => present.includes(code))
  const total = await estimateRows(snapshot.rows)
  const shared = {
    metrics: await readNames(snapshot.rows, 'metric'),
    units: await readNames(snapshot.rows, 'unit'),
    tags: await readNames(snapshot.rows, 'tag'),
  }
  let done = Object.values(state.markets)
    .flat()
    .reduce((sum, { rows }) => sum + rows, 0)
  for (const { code } of allowed) {
    if (state.markets[code] !== undefined) continue
    const names = { ...shared, tickers: await readTickers(snapshot.names, code) }
    const market = new MarketBuild({ options, snapshot, names, draftFolder, market: code, asOf: state.asOf })
    const files = await market.run(rows => options.onProgress({ done: done + rows, total, market: code }))
    done += files.reduce((sum, { rows }) => sum + rows, 0)
    syncPath(draftFolder)
    state = { ...state, markets: { ...state.markets, [code]: files } }
    writeDurably(join(draftFolder, stateFile), JSON.stringify(state))
  }
  const whole = await buildReported(options, snapshot, state, allowed)
  const files = allowed.flatMap(({ code }) => state.markets[code] ?? [])
  const reported = {
    figures: whole.flatMap(({ figures }) => figures),
    lines: whole.flatMap(({ lines }) => lines),
  }
  const manifest = makeManifest({ dataVersion, asOf: state.asOf, files, reported, manifests: allowed })
  removeOthers(draftFolder, files)
  removeOthers(join(draftFolder, reportedFolder), Object.values(reported).flat())
  writeDurably(join(draftFolder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`)
  syncPath(draftFolder)
  // The rename makes the whole release visible to clients at once.
  renameSync(draftFolder, releaseFolder(folder, dataVersion))
  syncPath(folder)
  return manifest
}

/**
 * Writes the whole filings of the markets, year by year: an interrupted build continues with the year that it was
 * writing.
 */
async function buildReported(
  { folder: releases, signal, onProgress }: BuildOptions,
  { rows: sql, names, dataVersion }: BulkSnapshot,
  before: BuildState,
  allowed: readonly Manifest[],
): Promise<readonly ReportedFiles[]> {
  const draftFolder = buildFolder(releases, dataVersion)
  const folder = join(draftFolder, reportedFolder)
  mkdirSync(folder, { recursive: true })
  const { asOf } = before
  const terms = await loadTerms(names)
  const total = await estimateReportedRows(names)
  const rowsOf = ({ figures, lines }: ReportedFiles) =>
    [...figures, ...lines].reduce((sum, { rows }) => sum + rows, 0)
  const found: ReportedFiles[] = []
  let state = before
  let done = 0
  for (const { code: market, attribution } of allowed) {
    const years = await yearsOfFilings(sql, market, asOf)
    if (years === null) continue
    for (let year = years.first; year <= years.last; year++) {
      const key = `${market}-${year}`
      let files = state.reported[key]
      if (files === undefined) {
        const metadata = { data_version: String(dataVersion), as_of: asOf, attribution }
        files = await writeReported({ sql, terms, folder, market, year, asOf, metadata, signal }, rows =>
          onProgress({ done: done + rows, total, market }),
        )
        syncPath(folder)
        state = { ...state, reported: { ...state.reported, [key]: files } }
        writeDurably(join(draftFolder, stateFile), JSON.stringify(state))
      }
      done += rowsOf(files)
      found.push(files)
    }
  }
  return found
}

/**
 * Resumes an interrupted build of this data version without the markets whose files are incomplete; otherwise
 * starts a new one.
 */
function resume({ folder, today, report }: BuildOptions, dataVersion: number): BuildState {
  for (const version of unfinishedIn(folder))
    if (version !== dataVersion)
      report(
        `An interrupted build of data version ${version} is given up: the data version is ${dataVersion} now.`,
      )
  removeLeftovers(folder, dataVersion)
  const draftFolder = buildFolder(folder, dataVersion)
  const started: BuildState = { format, asOf: today, markets: {}, reported: {} }
  const path = join(draftFolder, stateFile)
  if (existsSync(path)) {
    const found: BuildState = JSON.parse(readFileSync(path, 'utf8'))
    const whole = found.format === format ? wholeParts(draftFolder, found) : null
    if (whole !== null && whole.markets.length > 0) {
      report(
        `Continuing the interrupted build of data version ${dataVersion}: ${whole.markets.length} markets are whole.`,
      )
      return {
        ...found,
        markets: Object.fromEntries(whole.markets),
        reported: Object.fromEntries(whole.reported),
      }
    }
  }
  rmSync(draftFolder, { recursive: true, force: true })
  mkdirSync(draftFolder)
  writeDurably(join(draftFolder, stateFile), JSON.stringify(started))
  return started
}

/** What an interrupted build completed, without anything that has a damaged file. */
function wholeParts(draftFolder: string, { markets, reported }: BuildState) {
  const folder = join(draftFolder, reportedFolder)
  return {
    markets: Object.entries(markets).filter(([, files]) => files.every(file => isWhole(draftFolder, file))),
    reported: Object.entries(reported).filter(([, { figures, lines }]) =>
      [...figures, ...lines].every(file => isWhole(folder, file)),
    ),
  }
}

function isWhole(draftFolder: string, { path, bytes, sha256 }: BulkFileEntry): boolean {
  const file = join(draftFolder, path)
  if (!existsSync(file) || statSync(file).size !== bytes) return false
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex') === sha256
}

/** Removes files that an interrupted build wrote for an unfinished market, because the market may have lost their years. */
function removeOthers(draftFolder: string, files: readonly BulkFileEntry[]): void {
  const known = new Set(files.map(({ path }) => path))
  for (const name of new Bun.Glob('*').scanSync({ cwd: draftFolder, dot: true }))
    if (!known.has(name)) rmSync(join(draftFolder, name), { force: true })
}

interface MarketParts {
  readonly options: BuildOptions
  readonly snapshot: BulkSnapshot
  readonly names: RowNames
  readonly draftFolder: string
  readonly market: string
  readonly asOf: IsoDate
}

/** Rows between two reports of progress. */
const reportedRows = 50_000

/**
 * The files of one market. Each row goes to the file of its year, which writes a row group whenever one is
 * full.
 */
class MarketBuild {
  readonly #parts: MarketParts
  readonly #files = new Map<number, BulkFile>()
  /** Full row groups waiting for the accessions of their filings. */
  readonly #full: { readonly file: BulkFile; readonly rows: RowBuffer }[] = []
  readonly #unused: RowBuffer[] = []
  /** Caches the file of each day, because days repeat. */
  readonly #days = new Map<number, BulkFile>()

  constructor(parts: MarketParts) {
    this.#parts = parts
  }

  async run(onRows: (rows: number) => void): Promise<readonly BulkFileEntry[]> {
    const { snapshot, market, asOf, options } = this.#parts
    let rows = 0
    const bufferOf = (filed: number) => {
      const file = this.#days.get(filed) ?? this.#open(filed)
      if (file.buffer.isFull) {
        this.#full.push({ file, rows: file.buffer })
        file.buffer = this.#unused.pop() ?? new RowBuffer()
      }
      if (++rows % reportedRows === 0) onRows(rows)
      return file.buffer
    }
    const afterRows = () => {
      options.signal.throwIfAborted()
      return this.#full.length === 0 ? null : this.#writeFull()
    }
    try {
      await streamMarket(snapshot, market, asOf, bufferOf, afterRows)
      for (const file of this.#files.values()) await this.#write(file, file.buffer)
      return this.#entries()
    } catch (error) {
      for (const file of this.#files.values()) file.abandon()
      throw error
    }
  }

  async #writeFull(): Promise<void> {
    for (const { file, rows } of this.#full.splice(0)) {
      await this.#write(file, rows)
      this.#unused.push(rows)
    }
  }

  async #write(file: BulkFile, rows: RowBuffer): Promise<void> {
    const filings = new Set(rows.whole.filing.subarray(0, rows.count))
    const named = await readFilings(this.#parts.snapshot.names, [...filings])
    file.writeGroup(rows, this.#parts.names, named)
  }

  #open(filed: number): BulkFile {
    const { draftFolder, market, asOf, snapshot } = this.#parts
    const year = Number(isoDate(filed).slice(0, 4))
    let file = this.#files.get(year)
    if (file === undefined) {
      file = new BulkFile(join(draftFolder, fileName(market, year)), {
        data_version: String(snapshot.dataVersion),
        as_of: asOf,
        market,
        attribution: attributionOf(this.#parts),
      })
      this.#files.set(year, file)
    }
    this.#days.set(filed, file)
    return file
  }

  #entries(): readonly BulkFileEntry[] {
    const { market } = this.#parts
    return [...this.#files]
      .sort(([a], [b]) => a - b)
      .map(([year, file]) => {
        const sha256 = file.finish()
        const { rows, bytes } = file
        return { path: fileName(market, year), market, year, rows, bytes, sha256 }
      })
  }
}

const fileName = (market: string, year: number) => `${market}-${year}.parquet`

const attributionOf = ({ options, market }: MarketParts) =>
  options.manifests.find(({ code }) => code === market)?.attribution ?? ''
