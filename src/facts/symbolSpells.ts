import { addDays, type IsoDate } from '../dates.ts'

/** The kinds of sources that state symbols, in order of precedence. */
export const symbolSources = ['filing', 'register', 'operator'] as const
export type SymbolSource = (typeof symbolSources)[number]

/** The company that had a symbol. */
export interface SymbolHolder {
  readonly market: string
  /** The register's number; null if the source does not identify the company by more than `holder`. */
  readonly issuerId: string | null
  /** The ID formed from that number, or the source's own name for the company. */
  readonly holder: string
}

/** What one source states about one symbol and one company. */
export interface SymbolStatement extends SymbolHolder {
  readonly from: IsoDate
  /** The last day; null: the source states no end. */
  readonly to: IsoDate | null
  /** False if the company was only seen with the symbol on `from` and may have had it before. */
  readonly isBeginning: boolean
  readonly source: SymbolSource
  /** The day on which this service first recorded the statement. */
  readonly known: IsoDate
}

/** A run of days during which one company had a symbol. */
export interface SymbolSpell extends SymbolHolder {
  /** Null: no first day is known. */
  readonly from: IsoDate | null
  /** The last day; null: until further notice. */
  readonly to: IsoDate | null
  readonly source: SymbolSource
  readonly known: IsoDate
  /** True if no source covers these days and the nearest statement is extended to them. */
  readonly isAssumed: boolean
}

/**
 * Which company had a symbol on which days, from all statements about it. Their order does not matter.
 *
 * On a day that several statements cover, the source with precedence wins; within one source, the statement with the
 * later first day; and among those, one that identifies the company. A cover page covers the days up to the company's
 * next one, and the last cover page covers only its own day. On days between two statements nobody has the symbol, with
 * two exceptions, which are marked as assumed: after its last cover page a company keeps the symbol, and a company that
 * a register was only seen to list is taken to have been listed before that day as well.
 */
export function spellsOf(statements: readonly SymbolStatement[]): SymbolSpell[] {
  const covered = coveredStretches(statements)
  const spells: SymbolSpell[] = []
  for (const [index, stretch] of covered.entries()) {
    const { first, last } = stretch
    const before = covered[index - 1]
    const gapFrom = before === undefined ? null : dayAfter(before.last.end)
    const isGap = before === undefined || (gapFrom !== null && gapFrom < stretch.from)
    if (isGap && before !== undefined && isOpen(before.last))
      spells.push(assumed(before.last, gapFrom, addDays(stretch.from, -1)))
    else if (isGap && !first.isBeginning) spells.push(assumed(first, gapFrom, addDays(stretch.from, -1)))
    spells.push(spellOf(first, stretch.from, last.end, false))
  }
  const end = covered.at(-1)?.last
  if (end !== undefined && isOpen(end)) spells.push(assumed(end, dayAfter(end.end), null))
  return spells
}

/** The spell that contains a day; null if no company had the symbol on that day. */
export const spellOn = (spells: readonly SymbolSpell[], day: IsoDate): SymbolSpell | null =>
  spells.find(({ from, to }) => (from === null || from <= day) && (to === null || to >= day)) ?? null

export const isSameHolder = (a: SymbolHolder, b: SymbolHolder): boolean =>
  a.market === b.market && a.issuerId === b.issuerId && (a.issuerId !== null || a.holder === b.holder)

/** A statement with the last day that it covers on its own; null: every later day. */
type Covering = SymbolStatement & { readonly end: IsoDate | null }

interface Stretch {
  readonly from: IsoDate
  /** The statements at its beginning and at its end, about the same company. */
  readonly first: Covering
  last: Covering
}

/** The stretches that statements cover, in order and without overlaps. */
function coveredStretches(statements: readonly SymbolStatement[]): Stretch[] {
  const all = statements
    .map(one => ({ ...one, end: one.to ?? (one.source === 'filing' ? one.from : null) }))
    .sort(bestFirst)
  const cuts = [...new Set(all.flatMap(({ from, end }) => [from, dayAfter(end) ?? from]))].sort()
  const stretches: Stretch[] = []
  for (const [index, from] of cuts.entries()) {
    const best = all.find(one => one.from <= from && (one.end === null || one.end >= from))
    if (best === undefined) continue
    const next = cuts[index + 1]
    const end = next === undefined ? best.end : addDays(next, -1)
    const known = stretches.at(-1)
    if (known !== undefined && dayAfter(known.last.end) === from && isSameHolder(known.last, best))
      known.last = { ...best, end }
    else stretches.push({ from, first: best, last: { ...best, end } })
  }
  return stretches
}

function bestFirst(a: Covering, b: Covering): number {
  const bySource = symbolSources.indexOf(a.source) - symbolSources.indexOf(b.source)
  if (bySource !== 0) return bySource
  if (a.from !== b.from) return a.from < b.from ? 1 : -1
  if (a.isBeginning !== b.isBeginning) return a.isBeginning ? -1 : 1
  if ((a.issuerId === null) !== (b.issuerId === null)) return a.issuerId === null ? 1 : -1
  const [keyOfA, keyOfB] = [a, b].map(
    one => `${one.market} ${one.issuerId ?? ''} ${one.holder} ${one.to ?? ''}`,
  )
  return keyOfA < keyOfB ? -1 : Number(keyOfA > keyOfB)
}

const isOpen = ({ source, to }: SymbolStatement) => source === 'filing' && to === null

const dayAfter = (day: IsoDate | null): IsoDate | null => (day === null ? null : addDays(day, 1))

const assumed = (statement: SymbolStatement, from: IsoDate | null, to: IsoDate | null) =>
  spellOf(statement, from, to, true)

const spellOf = (
  { market, issuerId, holder, source, known }: SymbolStatement,
  from: IsoDate | null,
  to: IsoDate | null,
  isAssumed: boolean,
): SymbolSpell => ({ market, issuerId, holder, from, to, source, known, isAssumed })
