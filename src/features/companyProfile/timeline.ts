import { addDays, type IsoDate } from '../../dates.ts'
import type { Lineage } from '../companies/lineage.ts'
import type { Statement } from './queries.ts'
import type { Company, TimelineKind } from './schema.ts'

/** An attribute of a company from the day of the filing that first stated it until a later filing stated another
 * value. */
export interface Spell {
  readonly kind: TimelineKind
  readonly value: string
  readonly from: IsoDate
  /** Null if no filing up to the day states another value. */
  readonly until: IsoDate | null
  /** The first filing that states the value; null if it comes from another source. */
  readonly accession: string | null
}

/** The spells of a company's attributes, from filings and other sources, in order of their first day. */
export function spellsOf(
  statements: readonly Statement[],
  symbols: NonNullable<Company['symbols']>,
  lineage: Lineage | null,
): Spell[] {
  const spells: Spell[] = [
    ...spellsOfKind('name', statements, ({ name }) => name, sameName),
    ...spellsOfKind('industry', statements, ({ sector }) => sector),
    ...spellsOfKind('fiscal_year_end', statements, ({ yearEnd }) => yearEnd),
    ...spellsOfKind('filer_status', statements, ({ filerStatus }) => filerStatus),
    ...symbols.map(({ symbol, from, to }) => ({
      kind: 'symbol' as const,
      value: symbol,
      from,
      until: to === null ? null : addDays(to, 1),
      accession: null,
    })),
    ...(lineage?.seams ?? []).map(({ successor, from, document }) => ({
      kind: 'registrant' as const,
      value: successor,
      from,
      until: null,
      accession: document,
    })),
  ]
  return spells.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
}

function spellsOfKind(
  kind: TimelineKind,
  statements: readonly Statement[],
  valueIn: (statement: Statement) => string | null,
  keyOf: (value: string) => string = value => value,
): Spell[] {
  const spells: Spell[] = []
  for (const statement of statements) {
    const value = valueIn(statement)
    const current = spells.at(-1)
    if (value === null || (current !== undefined && keyOf(current.value) === keyOf(value))) continue
    const { filed, accession } = statement
    if (current !== undefined) spells[spells.length - 1] = { ...current, until: filed }
    spells.push({ kind, value, from: filed, until: null, accession })
  }
  // If filings of one day disagree, the last one counts; the others leave empty spells.
  return spells.filter(({ from, until }) => from !== until)
}

/** Indexes and data sets may spell the same name with different capitals and punctuation. */
const sameName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
