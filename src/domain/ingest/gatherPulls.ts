import type { PulledFiling, Statement } from '../../model/statement.ts'

/** What was read of one entity on one day. */
export interface Reading {
  readonly day: number
  readonly statements: readonly Statement[]
}

export interface GatheredPulls<Known extends PulledFiling> {
  /** All that was ever read. */
  readonly all: readonly PulledFiling[]
  /** Of `all` what is not on record as it is. */
  readonly fresh: readonly PulledFiling[]
  /** What of the record they take the place of. */
  readonly outdated: readonly Known[]
}

/** Adds readings to those on record. What a register said of a filing is kept once with every day on which it said so, so
 * that the result is a set: in which order readings came, and how often, makes no difference to it. */
export function gatherPulls<Known extends PulledFiling>(
  known: readonly Known[],
  readings: readonly Reading[],
): GatheredPulls<Known> {
  const days = new Map<string, Set<number>>()
  const read = new Map<string, PulledFiling>()
  for (const { day, statements } of readings) {
    for (const ofFiling of Map.groupBy(statements, ({ filing }) => filing.accession).values()) {
      const pull = { filing: ofFiling[0].filing, statements: inOrder(ofFiling), days: [] }
      const key = keyOf(pull)
      const daysOfKey = days.get(key)
      if (daysOfKey !== undefined) daysOfKey.add(day)
      else {
        days.set(key, new Set([day]))
        read.set(key, pull)
      }
    }
  }
  const all: PulledFiling[] = []
  const fresh: PulledFiling[] = []
  const outdated: Known[] = []
  for (const pull of known) {
    const more = days.get(keyOf(pull))
    read.delete(keyOf(pull))
    const merged = [...new Set([...pull.days, ...(more ?? [])])].sort((a, b) => a - b)
    if (merged.length === pull.days.length) all.push(pull)
    else {
      outdated.push(pull)
      fresh.push({ ...pull, days: merged })
    }
  }
  for (const [key, pull] of read)
    fresh.push({ ...pull, days: [...(days.get(key) ?? [])].sort((a, b) => a - b) })
  return { all: [...all, ...fresh], fresh, outdated }
}

function keyOf({ filing, statements }: PulledFiling): string {
  const { accession, form, filed, acceptedAt } = filing
  return [accession, form, filed, acceptedAt, ...statements.map(spell)].join('\n')
}

/** The same figures in the same order, each once. */
function inOrder(statements: readonly Statement[]): readonly Statement[] {
  const spelled = new Map(statements.map(statement => [spell(statement), statement]))
  return [...spelled].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, statement]) => statement)
}

const spell = ({ metric, tag, unit, start, end, value, rounded }: Statement) =>
  `${metric} ${tag} ${unit} ${start} ${end} ${value} ${rounded}`
