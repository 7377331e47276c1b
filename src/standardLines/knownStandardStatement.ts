import { knownStatement, type Presentation } from '../wholeFilings/knownStatement.ts'
import type { Period } from '../wholeFilings/layOut.ts'
import { type CheckedStatement, checkAcrossFilings } from './acrossFilings.ts'
import { type CheckedValue, checkFiling } from './checkFiling.ts'
import type { CompanyKind, StandardLine, StandardStatement } from './definition.ts'
import type { LineCheck } from './lineCheck.ts'
import type { PlacedStatement } from './placeLines.ts'
import { type PresentingFiling, standardFiling } from './standardFiling.ts'
import { linesFor } from './standardLines.ts'

/** A presentation whose lines have standard names. */
export interface PlacedPresentation extends CheckedStatement {
  readonly accession: string
  /** The position of its filing among those of the company, the latest first. */
  readonly rank: number
}

/** @returns null if the filing does not present the statement with figures */
export function placePresentation(
  statement: StandardStatement,
  filing: PresentingFiling,
  industry: number | null,
  place: Pick<PlacedPresentation, 'accession' | 'rank'>,
): PlacedPresentation | null {
  const standard = standardFiling(filing, industry)
  const placed = standard.statements.get(statement)
  const checked = checkFiling(filing, standard).get(statement)
  return placed === undefined || checked === undefined ? null : { ...placed, ...place, checked }
}

/** Standard lines over the columns that several presentations give. */
export interface KnownStandardStatement {
  readonly columns: readonly KnownStandardColumn[]
  readonly lines: readonly KnownStandardLine[]
  readonly missing: readonly KnownMissingLine[]
}

export interface KnownStandardColumn {
  readonly period: Period
  readonly accession: string
  readonly kind: CompanyKind
}

export interface KnownStandardLine {
  readonly line: StandardLine
  /** By column. */
  readonly cells: readonly (KnownStandardCell | null)[]
}

export interface KnownStandardCell {
  readonly value: string
  readonly unit: string
  readonly decimals: number | null
  readonly sources: readonly LineSource[]
  readonly check: LineCheck
}

export interface LineSource {
  readonly tag: string
  readonly label: string | null
}

export interface KnownMissingLine {
  readonly line: StandardLine
  readonly accession: string
  readonly readings: readonly LineSource[]
}

/**
 * @param presentations the latest first, as `knownStatement` takes them
 * @param placed the same, placed
 * @param lastDay periods that end later are left out
 */
export function knownStandardStatement(
  presentations: readonly Presentation[],
  placed: readonly PlacedPresentation[],
  lastDay?: number,
): KnownStandardStatement {
  const [latest, ...earlier] = presentations
  if (latest === undefined) return { columns: [], lines: [], missing: [] }
  const columns = knownStatement([latest, ...earlier], lastDay).columns.flatMap(({ period, accession }) => {
    const from = placed.find(each => each.accession === accession)
    if (from === undefined || period === null) return []
    const at = from.columns.findIndex(column => column.period !== null && isSame(column.period, period))
    return at === -1 ? [] : [{ period, accession, kind: from.kind, from, at }]
  })
  const checked = new Map(
    [...new Set(columns.map(({ from }) => from))].map(from => [
      from,
      checkAcrossFilings(
        from,
        placed.filter(({ rank }) => rank > from.rank).sort((a, b) => a.rank - b.rank),
      ),
    ]),
  )
  const definitions = new Map(
    columns.flatMap(({ from }) => linesFor(from.statement, from.kind).map(line => [line.name, line])),
  )
  const lines = inOrder([...definitions.values()]).flatMap((line): KnownStandardLine[] => {
    const cells = columns.map(({ from, at }) => cellOf(from, checked.get(from)?.[at].get(line.name)))
    return cells.every(cell => cell === null) ? [] : [{ line, cells }]
  })
  const shown = placed.filter(({ accession }) => columns.some(column => column.accession === accession))
  return {
    columns: columns.map(({ period, accession, kind }) => ({ period, accession, kind })),
    lines,
    missing: shown.flatMap(from =>
      from.missing.map(({ line, readings }) => ({
        line,
        accession: from.accession,
        readings: readings.map(at => sourceOf(from, at)),
      })),
    ),
  }
}

const isSame = (a: Period, b: Period) => a.start === b.start && a.end === b.end && a.quarters === b.quarters

const inOrder = (lines: readonly StandardLine[]) => {
  const [first] = lines
  if (first === undefined) return lines
  const names = new Set(lines.map(({ name }) => name))
  const order = new Map<string, StandardLine>()
  for (const kind of ['industrial', 'bank', 'insurer', 'reit', 'utility'] as const)
    for (const line of linesFor(first.statement, kind)) if (names.has(line.name)) order.set(line.name, line)
  return [...order.values()]
}

const sourceOf = ({ rows }: PlacedStatement, at: number): LineSource => ({
  tag: rows[at].concept,
  label: rows[at].label,
})

function cellOf(from: PlacedPresentation, value: CheckedValue | undefined): KnownStandardCell | null {
  if (value === undefined) return null
  const { rows, rounding: _, ...rest } = value
  return { ...rest, sources: rows.map(at => sourceOf(from, at)) }
}
