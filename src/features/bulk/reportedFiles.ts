import { join } from 'node:path'
import { dayNumber, type IsoDate } from '../../dates.ts'
import type { SqlClient } from '../../postgres/client.ts'
import { type EveryFiling, everyFilingOf } from '../../wholeFilings/everyFilingQueries.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { FigureContext } from '../../wholeFilings/wholeFiling.ts'
import { type ReportedFileEntry, type ReportedTableName, reportedColumns } from './release.ts'
import { ReleaseFile } from './releaseFile.ts'
import { partitionOf } from './reportedSchema.ts'
import { instantText } from './schema.ts'
import { TableBuffer, type TableCell } from './tableBuffer.ts'

interface ReportedParts {
  /** The connection of the snapshot. */
  readonly sql: SqlClient
  readonly terms: Terms
  readonly folder: string
  readonly market: string
  /** The year of `filed`. */
  readonly year: number
  readonly asOf: IsoDate
  readonly metadata: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** The files of one table, by table. */
export type ReportedFiles = Readonly<Record<ReportedTableName, readonly ReportedFileEntry[]>>

/**
 * Writes the whole filings of a market and a year of `filed`. In memory are a few filings and, for each file, the rows
 * of one row group; the partitions are a closed list, so their number is bounded.
 *
 * @param onRows called after each filing with the number of rows so far
 */
export async function writeReported(
  parts: ReportedParts,
  onRows: (rows: number) => void,
): Promise<ReportedFiles> {
  const tables = { figures: new TableFiles(parts, 'figures'), lines: new TableFiles(parts, 'lines') }
  try {
    for await (const filing of everyFilingOf(parts.sql, parts.terms, parts.market, parts.year, parts.asOf)) {
      parts.signal.throwIfAborted()
      const { whole } = filing
      const head = filingCells(filing)
      const versions = new Map<string, string | null>()
      const taxonomyOf = (tag: string) => {
        const prefix = tag.slice(0, Math.max(0, tag.indexOf(':')))
        const known = versions.get(prefix)
        if (known !== undefined) return known
        const version = whole.taxonomies.get(prefix) ?? null
        versions.set(prefix, version)
        return version
      }
      addFigures(tables.figures, filing, head, taxonomyOf)
      addLines(tables.lines, filing, head, taxonomyOf)
      onRows(tables.figures.rows + tables.lines.rows)
    }
    return { figures: tables.figures.finish(), lines: tables.lines.finish() }
  } catch (error) {
    for (const table of Object.values(tables)) table.abandon()
    throw error
  }
}

const filingCells = ({
  ticker,
  entityId,
  accession,
  form,
  filed,
  acceptedAt,
  seenOn,
  source,
}: EveryFiling): readonly TableCell[] => [
  ticker,
  entityId,
  accession,
  form,
  dayNumber(filed),
  acceptedAt === null ? null : instantText(acceptedAt),
  seenOn === null ? null : dayNumber(seenOn),
  source,
]

function addFigures(
  table: TableFiles,
  { whole, dataVersion }: EveryFiling,
  head: readonly TableCell[],
  taxonomyOf: (tag: string) => string | null,
): void {
  const dimensionsOf = new Map<FigureContext, string | null>()
  for (const { concept, context, unit, decimals, value } of whole.figures) {
    let dimensions = dimensionsOf.get(context)
    if (dimensions === undefined) {
      const pairs = context.dimensions.map(({ axis, member }) => `${axis}=${member}`)
      dimensions = pairs.length === 0 ? null : JSON.stringify(pairs)
      dimensionsOf.set(context, dimensions)
    }
    table.add(concept, [
      ...head,
      concept,
      taxonomyOf(concept),
      context.start,
      context.end,
      context.quarters,
      dimensions,
      unit,
      value,
      value === null ? null : Number(value),
      decimals === null ? null : decimals === Number.POSITIVE_INFINITY ? 'INF' : String(decimals),
      dataVersion,
    ])
  }
}

function addLines(
  table: TableFiles,
  { whole, dataVersion }: EveryFiling,
  head: readonly TableCell[],
  taxonomyOf: (tag: string) => string | null,
): void {
  for (const [position, { role, title, kind, parenthetical, lines }] of whole.statements.entries())
    for (const { order, depth, label, labelRole, concept, negated } of lines)
      table.add(concept, [
        ...head,
        position,
        role,
        title,
        kind,
        parenthetical,
        order,
        depth,
        label,
        labelRole,
        concept,
        taxonomyOf(concept),
        negated,
        dataVersion,
      ])
}

interface OpenFile {
  readonly file: ReleaseFile
  readonly buffer: TableBuffer
  readonly path: string
}

/** The files of a table, by partition. */
class TableFiles {
  readonly #parts: ReportedParts
  readonly #name: ReportedTableName
  readonly #files = new Map<string, OpenFile>()
  #lastTag = ''
  #last: OpenFile | null = null
  rows = 0

  constructor(parts: ReportedParts, name: ReportedTableName) {
    this.#parts = parts
    this.#name = name
  }

  add(tag: string, cells: readonly TableCell[]): void {
    // Figures of a tag follow one another.
    if (this.#last === null || tag !== this.#lastTag) {
      this.#last = this.#fileOf(partitionOf(tag))
      this.#lastTag = tag
    }
    const { buffer } = this.#last
    if (buffer.isFull) writeGroup(this.#last)
    buffer.add(cells)
    this.rows++
  }

  finish(): readonly ReportedFileEntry[] {
    const { market, year } = this.#parts
    return [...this.#files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([taxonomy, open]) => {
        if (open.buffer.count > 0) writeGroup(open)
        const sha256 = open.file.finish()
        const { rows, bytes } = open.file
        return { path: open.path, market, taxonomy, year, rows, bytes, sha256 }
      })
  }

  abandon(): void {
    for (const { file } of this.#files.values()) file.abandon()
  }

  #fileOf(taxonomy: string): OpenFile {
    const known = this.#files.get(taxonomy)
    if (known !== undefined) return known
    const { folder, market, year, metadata } = this.#parts
    const columns = reportedColumns[this.#name]
    const path = `${this.#name}-${market}-${taxonomy}-${year}.parquet`
    const opened = {
      path,
      file: new ReleaseFile(join(folder, path), columns, { ...metadata, market, taxonomy }),
      buffer: new TableBuffer(columns),
    }
    this.#files.set(taxonomy, opened)
    return opened
  }
}

function writeGroup({ file, buffer }: OpenFile): void {
  file.writeColumns(buffer.columns(), buffer.count)
  buffer.clear()
}
