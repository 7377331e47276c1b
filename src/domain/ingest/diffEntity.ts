import type { FactRow } from '../../model/statement.ts'
import type { StoredRow } from '../../store/facts/storedRows.ts'
import type { DerivedEntity, Repeat } from './deriveFacts.ts'
import { spanOf, storedMetric } from './span.ts'

export interface EntityChange {
  readonly addedFacts: FactRow[]
  /** Vintages that stand, but end on another day or whose filing's hour became known. */
  readonly amendedFacts: FactRow[]
  /** Places of rows that are not so any more. */
  readonly removedFacts: string[]
  readonly addedRepeats: Repeat[]
  readonly removedRepeats: string[]
}

/** What has to be written so that the store holds `derived`. */
export function diffEntity(
  derived: DerivedEntity,
  storedFacts: readonly StoredRow[],
  storedRepeats: readonly StoredRow[],
): EntityChange {
  const change: EntityChange = {
    addedFacts: [],
    amendedFacts: [],
    removedFacts: [],
    addedRepeats: [],
    removedRepeats: [],
  }
  if (storedFacts.length + storedRepeats.length === 0) {
    return { ...change, addedFacts: [...derived.facts], addedRepeats: [...derived.repeats] }
  }
  const facts = new Map(storedFacts.map(row => [factKey(row, row.filed, row.accession), row]))
  for (const fact of derived.facts) {
    const key = factKey(fact, fact.filing.filed, fact.filing.accession)
    const stored = facts.get(key)
    if (stored === undefined || !isSameFigure(stored, fact)) {
      change.addedFacts.push(fact)
      continue
    }
    facts.delete(key)
    if (stored.superseded !== fact.superseded || stored.acceptedAt !== fact.filing.acceptedAt) {
      change.amendedFacts.push(fact)
    }
  }
  for (const row of facts.values()) change.removedFacts.push(row.place)

  const repeats = new Map(storedRepeats.map(row => [repeatKey(row, row.metric, row.accession), row]))
  for (const repeat of derived.repeats) {
    const { statement } = repeat
    const metric = storedMetric(statement.metric, spanOf(statement.start, statement.end) ?? 0)
    if (!repeats.delete(repeatKey(statement, metric, statement.filing.accession))) {
      change.addedRepeats.push(repeat)
    }
  }
  for (const row of repeats.values()) change.removedRepeats.push(row.place)
  return change
}

interface FactKeyParts {
  readonly metric: string
  readonly fp: number
  readonly end: number
}

const factKey = (row: FactKeyParts, filed: number, accession: string) =>
  `${row.metric} ${row.fp} ${row.end} ${filed} ${accession}`

interface RepeatKeyParts {
  readonly tag: string | null
  readonly unit: string
  readonly start: number | null
  readonly end: number
  readonly value: number
  readonly rounded: boolean
}

const repeatKey = (row: RepeatKeyParts, metric: string, accession: string) =>
  `${metric} ${row.tag} ${row.unit} ${row.start} ${row.end} ${row.value} ${row.rounded} ${accession}`

function isSameFigure(stored: StoredRow, fact: FactRow): boolean {
  return (
    stored.fy === fact.fy &&
    stored.unit === fact.unit &&
    stored.tag === fact.tag &&
    stored.start === fact.start &&
    stored.rounded === fact.rounded &&
    stored.value === fact.value
  )
}
