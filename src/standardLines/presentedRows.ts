import { isInstant, type StatementRow, type StatementTable } from '../wholeFilings/layOut.ts'
import { isOwnTag, localName } from '../wholeFilings/tags.ts'
import type { ReportedFigure, Statement, Sum } from '../wholeFilings/wholeFiling.ts'

/** A line with figures on the face of a statement, for the whole company. */
export interface PresentedRow {
  readonly concept: string
  /** The tag without its prefix. */
  readonly name: string
  readonly isOwn: boolean
  readonly label: string | null
  /** The label in small letters without punctuation; the words of the tag if there is no label. */
  readonly words: string
  readonly negated: boolean
  readonly atBeginning: boolean
  readonly unit: 'currency' | 'currency/share' | 'shares' | 'other'
  /** By column; null where the filing states nothing. */
  readonly figures: readonly (ReportedFigure | null)[]
}

/**
 * A sum of the filing's calculation linkbase or, if `schema` is set, of the schema of its register. If the filing states only
 * a part of the schema's lines, or lines besides them, a sum that does not hold contradicts nothing.
 */
export interface StatedSum extends Sum {
  readonly schema?: 'complete' | 'partial'
}

/** The sums of the statement; empty for data sets, which have none. */
export type StatedSums = readonly StatedSum[]

/** The lines of a statement as its filing presents them. */
export interface PresentedFace {
  readonly presented: Statement
  readonly rows: readonly PresentedRow[]
  readonly sums: StatedSums
}

export const sumsOf = (sums: StatedSums, { role }: Pick<Statement, 'role'>): StatedSums =>
  sums.filter(sum => sum.role === role)

export function presentedRows({ rows }: StatementTable): readonly PresentedRow[] {
  return rows.flatMap(row => {
    const first = row.cells.find(cell => cell !== null && cell.value !== null)
    if (row.isHeading || row.dimensions.length > 0 || first == null) return []
    return [presentedRow({ ...row, atBeginning: row.atBeginning && isInstant(first.context) }, first.unit)]
  })
}

function presentedRow({ line, atBeginning, cells }: StatementRow, unit: string): PresentedRow {
  const name = localName(line.concept)
  return {
    concept: line.concept,
    name,
    isOwn: isOwnTag(line.concept),
    label: line.label,
    words: wordsOf(line.label ?? name.replace(/([a-z])([A-Z])/g, '$1 $2')),
    negated: line.negated,
    atBeginning,
    unit: unitOf(unit, name),
    figures: cells,
  }
}

/** `Less: Accumulated depreciation (net)` becomes `less accumulated depreciation net`. */
export const wordsOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/['’]/g, ' ')
    .replace(/\([^()]*\d[^()]*\)/g, ' ')
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/^ ?(note|notes) \d+ /, '')
    .replace(/ total$/, '')
    .trim()

/** Data sets state figures per share in the currency alone, and some filers as pure numbers, so the tag decides. */
function unitOf(unit: string, name: string): PresentedRow['unit'] {
  if (/\/share|\/shares/i.test(unit)) return 'currency/share'
  if (/^shares$/i.test(unit)) return 'shares'
  if (isPerShare(name)) return /^([A-Z]{3}|pure)$/.test(unit) ? 'currency/share' : 'other'
  return /^[A-Z]{3}$/.test(unit) ? 'currency' : 'other'
}

/** Whether the name of a tag says that its figures are per share. */
export const isPerShare = (name: string): boolean =>
  /PerShare|PerBasic|PerDiluted|PerOutstanding|PerUnit|EarningsPer|PerCommonShare/.test(name)
