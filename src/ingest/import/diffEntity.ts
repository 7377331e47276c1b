import { isoDate } from '../../dates.ts'
import type { DerivedEntity } from '../../facts/deriveFacts.ts'
import type { FactRow, RepeatRow } from '../../facts/factRow.ts'
import type { CheckState } from '../../markets/checkStates.ts'
import type { StoredRow } from '../store/storedRows.ts'

interface EntityChange {
  readonly addedFacts: readonly FactRow[]
  /** Stored vintages whose end or state changed, or whose filing's acceptance time became known. */
  readonly amendedFacts: readonly FactRow[]
  /** Positions of rows that are no longer derived. */
  readonly removedFacts: readonly string[]
  /**
   * Figures whose value in a filing on record has changed because the register corrected its extraction.
   */
  readonly corrections: readonly string[]
  readonly addedRepeats: readonly RepeatRow[]
  readonly removedRepeats: readonly string[]
}

/** Computes the writes after which the store equals `derived`. */
export function diffEntity(
  derived: DerivedEntity,
  storedFacts: readonly StoredRow[],
  storedRepeats: readonly StoredRow[],
): EntityChange {
  if (storedFacts.length + storedRepeats.length === 0) {
    return {
      addedFacts: derived.facts,
      amendedFacts: [],
      removedFacts: [],
      corrections: [],
      addedRepeats: derived.repeats,
      removedRepeats: [],
    }
  }
  return { ...diffFacts(derived.facts, storedFacts), ...diffRepeats(derived.repeats, storedRepeats) }
}

function diffFacts(facts: readonly FactRow[], storedFacts: readonly StoredRow[]) {
  const addedFacts: FactRow[] = []
  const amendedFacts: FactRow[] = []
  const corrections: string[] = []
  const rowsAt = byPlace(storedFacts)
  const left = new Set(storedFacts)
  for (const fact of facts) {
    const { filed, accession } = fact.filing
    const row = rowsAt
      .get(fact.metric)
      ?.get(placeOf(fact))
      ?.findLast(other => other.filed === filed && other.accession === accession)
    if (row === undefined || !left.has(row) || !isSameFigure(row, fact)) {
      addedFacts.push(fact)
      if (row !== undefined && isCorrected(row, fact))
        corrections.push(
          `${fact.metric} to ${isoDate(fact.end)} in ${fact.filing.accession}: ${row.value}, now ${fact.value}`,
        )
      continue
    }
    left.delete(row)
    const isAmended =
      row.superseded !== fact.superseded || row.earlierSince !== fact.earlierSince || row.check !== fact.check
    if (isAmended || row.acceptedAt !== fact.filing.acceptedAt) amendedFacts.push(fact)
  }
  return { addedFacts, amendedFacts, corrections, removedFacts: [...left].map(row => row.ctid) }
}

/** Stored vintages by metric and place. Numbers are found faster than texts made for each of hundreds of rows. */
function byPlace(rows: readonly StoredRow[]): ReadonlyMap<string, ReadonlyMap<number, readonly StoredRow[]>> {
  const metrics = new Map<string, Map<number, StoredRow[]>>()
  for (const row of rows) {
    const place = placeOf(row)
    const places = metrics.get(row.metric)
    const vintages = places?.get(place)
    if (vintages !== undefined) vintages.push(row)
    else if (places !== undefined) places.set(place, [row])
    else metrics.set(row.metric, new Map([[place, [row]]]))
  }
  return metrics
}

/** The period, by its end and its kind (0 to 5). */
const placeOf = ({ end, fp }: { readonly end: number; readonly fp: number }): number => end * 8 + fp

const isCorrected = (stored: StoredRow, fact: FactRow): boolean =>
  fact.tag !== null && stored.tag === fact.tag && stored.unit === fact.unit && stored.value !== fact.value

function diffRepeats(repeats: readonly RepeatRow[], storedRepeats: readonly StoredRow[]) {
  const stored = new Map(storedRepeats.map(row => [repeatKey(row, row.metric, row.accession), row]))
  const addedRepeats = repeats.filter(
    ({ reported, metric }) => !stored.delete(repeatKey(reported, metric, reported.filing.accession)),
  )
  return { addedRepeats, removedRepeats: [...stored.values()].map(row => row.ctid) }
}

interface RepeatKeyParts {
  readonly tag: string | null
  readonly unit: string
  readonly start: number | null
  readonly end: number
  readonly value: number
  readonly rounded: boolean
  readonly check?: CheckState
}

const repeatKey = (
  { tag, unit, start, end, value, rounded, check = 'unchecked' }: RepeatKeyParts,
  metric: string,
  accession: string,
) => `${metric} ${tag} ${unit} ${start} ${end} ${value} ${rounded} ${check} ${accession}`

function isSameFigure(stored: StoredRow, fact: FactRow): boolean {
  return (
    stored.fy === fact.fy &&
    stored.unit === fact.unit &&
    stored.tag === fact.tag &&
    stored.start === fact.start &&
    stored.rounded === fact.rounded &&
    stored.value === fact.value &&
    stored.inputs.length === fact.inputs.length &&
    stored.inputs.every((accession, index) => accession === fact.inputs[index])
  )
}
