import { parse } from 'node:path'
import { isoDate } from '../../../src/dates.ts'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { readFilingPackage } from '../../../src/ingest/registers/us/filingPackage.ts'
import type { CompanyKind, StandardStatement } from '../../../src/standardLines/definition.ts'
import { lineValue } from '../../../src/standardLines/lineValues.ts'
import type { PlacedStatement } from '../../../src/standardLines/placeLines.ts'
import type { PresentedRow } from '../../../src/standardLines/presentedRows.ts'
import { standardFiling } from '../../../src/standardLines/standardFiling.ts'
import type { StatementColumn } from '../../../src/wholeFilings/layOut.ts'
import type { WholeFiling } from '../../../src/wholeFilings/wholeFiling.ts'
import { filersOf } from '../../standardLines.ts'

/** A line of the face in one column, as both sides see it. */
export interface FaceLine {
  readonly tag: string
  readonly label: string
  readonly negated: boolean
  /** As the filing states it. */
  readonly stated: number
  /** With the sign that the statement shows. */
  readonly shown: number
  /** The standard lines whose value includes this line. */
  readonly lines: readonly string[]
}

export interface OurValue {
  readonly value: number
  readonly tags: readonly string[]
}

/** One column of a presented statement with our standard lines. */
export interface PresentedColumn {
  readonly accession: string
  readonly kind: CompanyKind
  readonly industry: number | null
  readonly statement: StandardStatement
  /** `20090630`, as data sets write it. */
  readonly day: string
  /** 0 for a balance sheet. */
  readonly quarters: number
  readonly face: readonly FaceLine[]
  readonly ours: ReadonlyMap<string, OurValue>
  /** Lines with two readings. */
  readonly unclear: ReadonlySet<string>
}

/** The statements of data sets, and of packages with an instance and its linkbases, which are named by their file. */
export async function presentedColumns(paths: readonly string[]): Promise<readonly PresentedColumn[]> {
  const columns: PresentedColumn[] = []
  for (const path of paths)
    for (const { filing, industry } of await filingsOf(path)) {
      const { kind, statements } = standardFiling(filing, industry)
      for (const [statement, placed] of statements)
        for (const [at, column] of placed.columns.entries()) {
          const period = periodOf(statement, column)
          const { accession } = filing
          if (period !== null)
            columns.push({ accession, kind, industry, statement, ...period, ...cellsOf(placed, at) })
        }
    }
  return columns
}

async function filingsOf(
  path: string,
): Promise<readonly { readonly filing: WholeFiling; readonly industry: number | null }[]> {
  const zip = await openZip(path)
  const documents: { name: string; bytes: Uint8Array }[] = []
  for await (const entry of zip.eachEntry())
    if (entry.fileName === 'num.txt') {
      zip.close()
      return filersOf(path)
    } else documents.push({ name: entry.fileName, bytes: await readEntry(zip, entry) })
  zip.close()
  return [{ filing: readFilingPackage(parse(path).name, documents).filing, industry: null }]
}

/** The columns of the period that each filing is about. */
export function currentColumns(columns: readonly PresentedColumn[]): readonly PresentedColumn[] {
  const latest = new Map<string, string>()
  for (const { accession, day } of columns)
    if (day > (latest.get(accession) ?? '')) latest.set(accession, day)
  return columns.filter(({ accession, day, quarters }) => day === latest.get(accession) && quarters <= 4)
}

const daysPerQuarter = 365.25 / 4

function periodOf(
  statement: StandardStatement,
  { period }: StatementColumn,
): Pick<PresentedColumn, 'day' | 'quarters'> | null {
  if (period === null) return null
  const { start, end, quarters } = period
  const length = quarters ?? (start === null ? 0 : Math.round((end - start + 1) / daysPerQuarter))
  return (statement === 'balance') === (length === 0)
    ? { day: isoDate(end).replaceAll('-', ''), quarters: length }
    : null
}

function cellsOf(
  placed: PlacedStatement,
  column: number,
): Pick<PresentedColumn, 'face' | 'ours' | 'unclear'> {
  const ours = new Map<string, OurValue>()
  const linesOfRow = new Map<number, string[]>()
  for (const line of placed.placed) {
    const found = lineValue(placed, line, column)
    if (found === null) continue
    ours.set(line.line.name, {
      value: Number(found.value),
      tags: found.rows.map(at => tagOf(placed.rows[at])),
    })
    for (const at of found.rows) linesOfRow.set(at, [...(linesOfRow.get(at) ?? []), line.line.name])
  }
  const face = placed.rows.flatMap((row, at) => faceLine(row, column, linesOfRow.get(at) ?? []))
  return { face, ours, unclear: new Set(placed.missing.map(({ line }) => line.name)) }
}

/** A star marks a tag of the company's own. */
const tagOf = ({ isOwn, name }: PresentedRow) => (isOwn ? `*${name}` : name)

function faceLine(row: PresentedRow, column: number, lines: readonly string[]): readonly FaceLine[] {
  const figure = row.figures[column]
  if (figure == null || figure.value === null || row.atBeginning) return []
  const stated = Number(figure.value)
  return [
    {
      tag: tagOf(row),
      label: row.label ?? row.words,
      negated: row.negated,
      stated,
      shown: row.negated ? -stated : stated,
      lines,
    },
  ]
}
