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
  const stored = new Map(storedFacts.map(row => [factKey(row, row.filed, row.accession), row]))
  for (const fact of facts) {
    const key = factKey(fact, fact.filing.filed, fact.filing.accession)
    const row = stored.get(key)
    if (row === undefined || !isSameFigure(row, fact)) {
      addedFacts.push(fact)
      if (row !== undefined && isCorrected(row, fact))
        corrections.push(
          `${fact.metric} to ${isoDate(fact.end)} in ${fact.filing.accession}: ${row.value}, now ${fact.value}`,
        )
      continue
    }
    stored.delete(key)
    const isAmended =
      row.superseded !== fact.superseded || row.earlierSince !== fact.earlierSince || row.check !== fact.check
    if (isAmended || row.acceptedAt !== fact.filing.acceptedAt) amendedFacts.push(fact)
  }
  return { addedFacts, amendedFacts, corrections, removedFacts: [...stored.values()].map(row => row.ctid) }
}

const isCorrected = (stored: StoredRow, fact: FactRow): boolean =>
  fact.tag !== null && stored.tag === fact.tag && stored.unit === fact.unit && stored.value !== fact.value

function diffRepeats(repeats: readonly RepeatRow[], storedRepeats: readonly StoredRow[]) {
  const stored = new Map(storedRepeats.map(row => [repeatKey(row, row.metric, row.accession), row]))
  const addedRepeats = repeats.filter(
    ({ reported, metric }) => !stored.delete(repeatKey(reported, metric, reported.filing.accession)),
  )
  return { addedRepeats, removedRepeats: [...stored.values()].map(row => row.ctid) }
}

const factKey = (
  { metric, fp, end }: { readonly metric: string; readonly fp: number; readonly end: number },
  filed: number,
  accession: string,
) => `${metric} ${fp} ${end} ${filed} ${accession}`

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
