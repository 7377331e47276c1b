import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../../markets/manifest.ts'
import { figureColumns, lineColumns } from './reportedSchema.ts'
import { type BulkColumn, bulkColumns } from './schema.ts'

/** A file of a release. */
export interface BulkFileEntry {
  readonly path: string
  readonly market: string
  /** The year of `filed`. */
  readonly year: number
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

export const reportedTables = ['figures', 'lines'] as const
export type ReportedTableName = (typeof reportedTables)[number]

/** A file with rows of whole filings. On disk it is in `reportedFolder`. */
export interface ReportedFileEntry extends BulkFileEntry {
  readonly taxonomy: string
}

interface ReportedTable {
  readonly name: ReportedTableName
  readonly rows: number
  readonly bytes: number
  readonly files: readonly ReportedFileEntry[]
  readonly schema: readonly BulkColumn[]
}

/** The contents of a release. Its file is written last and marks the release as complete. */
export interface BulkManifest {
  readonly object: 'bulk_manifest'
  readonly data_version: number
  readonly as_of: string
  readonly rows: number
  readonly bytes: number
  readonly files: readonly BulkFileEntry[]
  readonly schema: readonly BulkColumn[]
  /** Missing in releases that an older version built. */
  readonly reported?: readonly ReportedTable[]
  readonly licence: readonly { readonly market: string; readonly name: string; readonly url: string }[]
  readonly attribution: readonly { readonly market: string; readonly text: string }[]
}

export const manifestFile = 'manifest.json'
/** Whole filings have columns of their own, and `*.parquet` of a release must have one schema. */
export const reportedFolder = 'reported'
const releasePattern = /^[1-9]\d{0,9}$|^0$/
const buildPattern = /^\.building-(\d+)$/
const removedPrefix = '.removed-'

export const releaseFolder = (folder: string, dataVersion: number) => join(folder, String(dataVersion))
export const buildFolder = (folder: string, dataVersion: number) => join(folder, `.building-${dataVersion}`)

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** The releases in a folder that clients can see, which are the complete ones, newest first. */
export const releasesIn = (folder: string): readonly number[] =>
  namesIn(folder)
    .filter(name => releasePattern.test(name) && existsSync(join(folder, name, manifestFile)))
    .map(Number)
    .sort((a, b) => b - a)

/** The data versions of interrupted builds. */
export const unfinishedIn = (folder: string): readonly number[] =>
  namesIn(folder)
    .flatMap(name => buildPattern.exec(name)?.[1] ?? [])
    .map(Number)

export function readManifest(folder: string, dataVersion: number): BulkManifest {
  return JSON.parse(readFileSync(join(releaseFolder(folder, dataVersion), manifestFile), 'utf8'))
}

/**
 * Removes a release. It is renamed first, so that a partial release is never visible. A file that is being
 * sent stays readable.
 */
export function removeRelease(folder: string, dataVersion: number): void {
  const removed = join(folder, `${removedPrefix}${dataVersion}-${crypto.randomUUID()}`)
  renameSync(releaseFolder(folder, dataVersion), removed)
  rmSync(removed, { recursive: true, force: true })
}

/** Removes what an interrupted removal left, and builds of other data versions. */
export function removeLeftovers(folder: string, except: number | null): void {
  for (const name of namesIn(folder)) {
    const build = buildPattern.exec(name)?.[1]
    if (name.startsWith(removedPrefix) || (build !== undefined && Number(build) !== except))
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Writes a file and waits until it is on disk. */
export function writeDurably(path: string, content: string): void {
  const unfinished = `${path}.part`
  writeFileSync(unfinished, content)
  syncPath(unfinished)
  renameSync(unfinished, path)
}

/** Waits until a file, or a folder's list of names, is on disk. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

export const reportedColumns: Readonly<Record<ReportedTableName, readonly BulkColumn[]>> = {
  figures: figureColumns,
  lines: lineColumns,
}

interface ManifestParts {
  readonly dataVersion: number
  readonly asOf: string
  readonly files: readonly BulkFileEntry[]
  readonly reported: Readonly<Record<ReportedTableName, readonly ReportedFileEntry[]>>
  readonly manifests: readonly Manifest[]
}

export function makeManifest({ dataVersion, asOf, files, reported, manifests }: ManifestParts): BulkManifest {
  const sum = (of: readonly BulkFileEntry[], field: 'rows' | 'bytes') =>
    of.reduce((total, file) => total + file[field], 0)
  const every = [...files, ...Object.values(reported).flat()]
  const inRelease = manifests.filter(({ code }) => every.some(({ market }) => market === code))
  return {
    object: 'bulk_manifest',
    data_version: dataVersion,
    as_of: asOf,
    rows: sum(files, 'rows'),
    bytes: sum(files, 'bytes'),
    files,
    schema: bulkColumns,
    reported: reportedTables.map(name => ({
      name,
      rows: sum(reported[name], 'rows'),
      bytes: sum(reported[name], 'bytes'),
      files: reported[name],
      schema: reportedColumns[name],
    })),
    licence: inRelease.map(({ code, licence }) => ({ market: code, name: licence.name, url: licence.url })),
    attribution: inRelease.map(({ code, attribution }) => ({ market: code, text: attribution })),
  }
}
