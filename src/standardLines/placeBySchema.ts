import { isInstant } from '../wholeFilings/layOut.ts'
import type { CompanyKind, StandardLine, StandardStatement } from './definition.ts'
import { type MissingLine, type PlacedLine, type PlacedStatement, placeLines } from './placeLines.ts'
import type { PresentedFace, PresentedRow } from './presentedRows.ts'
import { expectedSign } from './signs.ts'
import { linesFor } from './standardLines.ts'
import { contains, readStructure, type Structure } from './structure.ts'
import { taxonomyOf } from './taxonomies/taxonomies.ts'
import { type Meaning, nameOfLabel, type SchemaStatement, type Taxonomy } from './taxonomies/taxonomy.ts'
import { withTotalsAbove } from './totalsAbove.ts'

/** Places the lines of a statement: those of other markets by the schema of their register. */
export function placeStatement(
  statement: StandardStatement,
  kind: CompanyKind,
  face: PresentedFace,
): PlacedStatement {
  const taxonomy = taxonomyOf(face.presented)
  return taxonomy === null
    ? placeLines(statement, kind, face.rows, face.sums)
    : placeBySchema(taxonomy, statement, kind, face)
}

interface Reading {
  readonly at: number
  readonly meaning: Meaning
}

function placeBySchema(
  taxonomy: Taxonomy,
  statement: StandardStatement,
  kind: CompanyKind,
  { rows, sums }: PresentedFace,
): PlacedStatement {
  const schema = taxonomy.statements[statement]
  const stated = readStructure(rows, sums, expectedSign[statement])
  const totals = totalsOf(rows, schema)
  const structure = totals.areAbove
    ? withTotalsAbove(
        stated,
        rows,
        totals.lines.map(line => line !== null && totalsOfItems.has(line)),
        totals.lines.map(line => line !== null && (sectionTotals.has(line) || totalsOfItems.has(line))),
      )
    : stated
  const where = placesOf(totals, structure)
  const lines = new Map(linesFor(statement, kind).map(line => [line.name, line]))
  const byLine = new Map<string, Reading[]>()
  const missing = new Map<StandardLine, readonly number[]>()
  rows.forEach((row, at) => {
    const meaning = meaningOf(row, schema, where[at])
    const line = lines.get(lineNameOf(row, meaning) ?? '')
    if (meaning === null || line === undefined || !fits(row, line)) return
    if (
      isOtherwiseLabelled(row, meaning, schema, where[at]) ||
      taxonomy.contradicts?.(row.label ?? '', line.name)
    )
      missing.set(line, [at])
    else byLine.set(line.name, [...(byLine.get(line.name) ?? []), { at, meaning }])
  })
  renameOwnersTotals(byLine, taxonomy, statement, rows)
  renameChangeBeforeExchange(byLine, rows)
  const signs = statement === 'cash_flow' ? paymentSigns(byLine, lines, rows, where) : null
  const placed: PlacedLine[] = []
  for (const [name, all] of byLine) {
    const line = lines.get(name)
    if (line === undefined) continue
    const chosen = ofFirstGroup(all, structure, rows)
    const factors = chosen.map(({ at, meaning }) => {
      const paid = isPayment(line) ? (signs?.get(at) ?? null) : 1
      return paid === null ? null : paid < 0 !== meaning.isNegated ? (-1 as const) : (1 as const)
    })
    const isOne = chosen.length === 1 || chosen.every(({ meaning }) => meaning.adds)
    const readings = chosen.map(({ at }) => at)
    if (isOne && factors.every(factor => factor !== null)) {
      placed.push({ line, rows: readings, factors })
      missing.delete(line)
    } else missing.set(line, readings)
  }
  return {
    statement,
    kind,
    rows,
    structure,
    placed,
    missing: [...missing].map(([line, readings]): MissingLine => ({ line, readings })),
  }
}

/** The tag decides; only if the schema does not know it, the label does. */
function meaningOf(row: PresentedRow, schema: SchemaStatement, place: Place): Meaning | null {
  return meaningIn(schema, tagOf(row), place) ?? meaningOfLabel(row, schema, place)
}

const meaningOfLabel = ({ label }: PresentedRow, schema: SchemaStatement, place: Place) =>
  label === null ? null : meaningIn(schema, nameOfLabel(label), place)

const meaningIn = (schema: SchemaStatement, key: string, place: Place): Meaning | null =>
  schema.meanings.get(key)?.find(meaning => isMeantAt(meaning, place)) ?? null

/** Where a row stands: in the section of a total, and beside lines that its statement has. */
interface Place {
  readonly section: string | null
  readonly beside: ReadonlySet<string>
}

const isMeantAt = ({ section, beside }: Meaning, place: Place) =>
  (section === null || section === place.section) && (beside === null || place.beside.has(beside))

/** Korean reports write `ifrs-full_Assets`; a tag that a filing uses twice has a number: `dart:OtherGains#IS12`. */
const tagOf = ({ concept }: PresentedRow) => concept.replace(/^(ifrs-full|dart)_/, '$1:').replace(/#\w+$/, '')

/** The label is known as that of other lines, and not of the one that the tag means: filers choose wrong tags. */
function isOtherwiseLabelled(
  row: PresentedRow,
  { line }: Meaning,
  schema: SchemaStatement,
  place: Place,
): boolean {
  if (meaningIn(schema, tagOf(row), place) === null) return false
  const labelled = meaningOfLabel(row, schema, place)
  return labelled !== null && labelled.line !== line
}

const lineNameOf = ({ atBeginning }: PresentedRow, meaning: Meaning | null) => {
  const line = meaning?.line ?? null
  if (line === 'cash_at_end' || line === 'cash_at_beginning') return atBeginning ? 'cash_at_beginning' : line
  return atBeginning ? null : line
}

/** Belgian income statements since 2022 state the last day of their year alone, so a period may be an instant. */
function fits({ unit, figures }: PresentedRow, line: StandardLine): boolean {
  if ((unit === 'currency') !== (line.unit === 'currency') && unit !== 'other') return false
  const first = figures.find(figure => figure !== null)
  return (
    line.period === 'duration' ||
    line.name.startsWith('cash_at') ||
    (first != null && isInstant(first.context))
  )
}

/** Totals in whose section a row may stand. */
const sectionTotals: ReadonlySet<string> = new Set([
  'current_assets',
  'noncurrent_assets',
  'assets',
  'current_liabilities',
  'noncurrent_liabilities',
  'liabilities',
  'operating_cash_flow',
  'investing_cash_flow',
  'financing_cash_flow',
])

/** Totals of a balance sheet, and what ends their items besides, that may stand above their items. */
const totalsOfItems: ReadonlySet<string> = new Set([
  'current_assets',
  'noncurrent_assets',
  'current_liabilities',
  'noncurrent_liabilities',
  'equity',
  'minority_interest',
  'equity_including_minority_interest',
])

interface Totals {
  /** By row, the standard line that it means without regard to its place. */
  readonly lines: readonly (string | null)[]
  /** Whether the statement begins with a total of a section, so that totals stand above their items. */
  readonly areAbove: boolean
}

const maxRowsOfCash = 4

function totalsOf(rows: readonly PresentedRow[], schema: SchemaStatement): Totals {
  const nowhere: Place = { section: null, beside: new Set() }
  const lines = rows.map(row => meaningOf(row, schema, nowhere)?.line ?? null)
  const first = lines.findIndex(line => line !== null && sectionTotals.has(line))
  // A statement of cash flows may begin with balances of cash.
  const isFlow = first >= 0 && /cash_flow$/.test(lines[first] ?? '')
  return { lines, areAbove: first >= 0 && first <= (isFlow ? maxRowsOfCash : 0) }
}

/** The section of a row is that of a total that contains it, or else that of the nearest total on the side of its total. */
function placesOf({ lines, areAbove }: Totals, { parents }: Structure): readonly Place[] {
  const beside = new Set(lines.filter(line => line !== null))
  const sections = lines.map(line => (line !== null && sectionTotals.has(line) ? line : null))
  const sectionOf = (at: number) => {
    for (let total = parents[at]; total !== null; total = parents[total])
      if (sections[total] !== null) return sections[total]
    const order = areAbove ? sections.slice(0, at).reverse() : sections.slice(at + 1)
    return order.find(section => section !== null) ?? null
  }
  return lines.map((_, at) => ({ section: sectionOf(at), beside }))
}

const groupTotals = {
  income: ['net_income_including_minority_interest', 'net_income', 'minority_interest_income'],
  balance: ['equity_including_minority_interest', 'equity', 'minority_interest'],
} as const

const alone = /(^|:)(NonConsolidatedMember|SoloMember|SeparateMember)$/

/** Without minority interests, as in the accounts of a company alone, the total is that of the owners. */
function renameOwnersTotals(
  byLine: Map<string, Reading[]>,
  { ownersHaveAll }: Taxonomy,
  statement: StandardStatement,
  rows: readonly PresentedRow[],
): void {
  if (statement === 'cash_flow') return
  const [whole, owners, minority] = groupTotals[statement]
  const total = byLine.get(whole)
  if (total === undefined || byLine.has(owners) || byLine.has(minority)) return
  const context = rows[total[0].at].figures.find(figure => figure !== null)?.context
  const isAlone = context?.dimensions.some(({ member }) => alone.test(member)) === true
  if (!ownersHaveAll(statement, isAlone)) return
  byLine.set(owners, total)
  byLine.delete(whole)
}

/**
 * Filers use the tag of the change in cash for the change before exchange rates, too. What cash was before and after tells or,
 * if the statement does not show it, whether the effect of exchange rates stands below.
 */
function renameChangeBeforeExchange(byLine: Map<string, Reading[]>, rows: readonly PresentedRow[]): void {
  const change = byLine.get('cash_change')
  const effect = byLine.get('exchange_rate_effect')
  if (change?.length !== 1 || effect === undefined || byLine.has('cash_change_before_exchange')) return
  const first = (line: string) => {
    const [reading, ...others] = byLine.get(line) ?? []
    const value = reading === undefined || others.length > 0 ? null : rows[reading.at].figures[0]?.value
    return value == null ? null : Number(value)
  }
  const [begin, end, own, rates] = [
    'cash_at_beginning',
    'cash_at_end',
    'cash_change',
    'exchange_rate_effect',
  ].map(first)
  const difference = begin === null || end === null ? null : end - begin
  if (difference !== null && difference === own) return
  const addsUp = difference !== null && own !== null && rates !== null && difference === own + rates
  const isBefore = addsUp || change[0].at < effect[0].at
  if (!isBefore) return
  byLine.set('cash_change_before_exchange', change)
  byLine.delete('cash_change')
}

/** The rows of the first group that has any, without parts of others and without repetitions. */
function ofFirstGroup(
  all: readonly Reading[],
  structure: Structure,
  rows: readonly PresentedRow[],
): readonly Reading[] {
  const first = Math.min(...all.map(({ meaning }) => meaning.group))
  const ofGroup = all.filter(({ meaning }) => meaning.group === first)
  const outer = ofGroup.filter(({ at }) => !ofGroup.some(other => contains(structure, other.at, at)))
  return outer.filter(
    ({ at, meaning }, index) =>
      meaning.adds || !outer.slice(0, index).some(other => isSame(rows[other.at], rows[at])),
  )
}

const isSame = (a: PresentedRow, b: PresentedRow) =>
  a.figures.every((figure, at) => (figure?.value ?? null) === (b.figures[at]?.value ?? null))

/** Some filers show the total of payments as a negative figure above payments that are positive. */
const paymentTotals: ReadonlySet<string> = new Set(['investing_outflows', 'financing_outflows'])

const isPayment = ({ name, sign }: StandardLine) =>
  sign === 'outflow' || name === 'interest_paid' || name === 'income_taxes_paid'

/**
 * By row, 1 if the filing states payments of its section as positive figures and -1 if as negative ones. A payment that is
 * stated otherwise than most others of its section has no sign: it may be a repayment or an error.
 */
function paymentSigns(
  byLine: ReadonlyMap<string, readonly Reading[]>,
  lines: ReadonlyMap<string, StandardLine>,
  rows: readonly PresentedRow[],
  places: readonly Place[],
): ReadonlyMap<number, 1 | -1 | null> {
  const payments = [...byLine].flatMap(([name, readings]) => {
    const line = lines.get(name)
    return line !== undefined && isPayment(line) ? readings.map(({ at }) => ({ at, name })) : []
  })
  const signs = new Map<number, 1 | -1 | null>(
    payments.flatMap(({ at, name }) => (paymentTotals.has(name) ? [[at, statedSign(rows[at]) ?? 1]] : [])),
  )
  const single = payments.filter(({ name }) => !paymentTotals.has(name))
  for (const [, ofSection] of Map.groupBy(single, ({ at }) => places[at].section)) {
    // Taxes may be refunded, so that other payments tell.
    const telling = ofSection.filter(({ name }) => name !== 'income_taxes_paid' || ofSection.length === 1)
    const counted = telling.reduce((sum, { at }) => sum + (statedSign(rows[at]) ?? 0), 0)
    const usual = counted === 0 ? null : counted < 0 ? -1 : 1
    for (const { at, name } of ofSection) {
      const own = statedSign(rows[at])
      signs.set(
        at,
        name === 'income_taxes_paid' || own === null || own === usual ? (usual ?? own ?? 1) : null,
      )
    }
  }
  return signs
}

/** The sign that all figures of a row have; null if they differ or are all zero. */
function statedSign({ figures }: PresentedRow): 1 | -1 | null {
  const signs = new Set(
    figures.flatMap(figure =>
      figure?.value == null || figure.value === '0' ? [] : [figure.value.startsWith('-') ? -1 : 1],
    ),
  )
  const [sign] = signs
  return signs.size === 1 ? (sign as 1 | -1) : null
}
