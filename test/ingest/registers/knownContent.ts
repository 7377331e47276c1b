import { isoDate } from '../../../src/dates.ts'
import type { AsOf } from '../../../src/instants.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import {
  type KnownFiling,
  listKnownFilings,
  readWholeFilings,
} from '../../../src/wholeFilings/knownFilingQueries.ts'
import { Terms } from '../../../src/wholeFilings/terms.ts'
import type { ReportedFigure, WholeFiling } from '../../../src/wholeFilings/wholeFiling.ts'

export interface KnownContent {
  readonly known: KnownFiling
  readonly whole: WholeFiling
}

/** The filings of a company in full that were known, the latest first, as readers get them. */
export async function knownContent(sql: Sql, ticker: string, asOf: AsOf): Promise<readonly KnownContent[]> {
  const [issuerId, market] = ticker.split('.')
  const [entity] = await sql<{ id: number }[]>`
    select entity_id as id from entity where market = ${market} and issuer_id = ${issuerId}`
  if (entity === undefined) throw new Error(`${ticker} is not on record`)
  const filings = await listKnownFilings(sql, entity.id, asOf)
  const whole = await readWholeFilings(sql, new Terms(), filings)
  return filings.map((known, at) => ({ known, whole: whole[at] }))
}

/** `fsa:Revenue 2016-01-01..2016-12-31 [axis=member] 5073800000 DKK -5`. */
export function spellFigure({ concept, context, unit, decimals, value }: ReportedFigure): string {
  const { start, end, dimensions } = context
  const days = `${start === null ? '' : isoDate(start)}..${isoDate(end)}`
  const members = dimensions.map(({ axis, member }) => `${axis}=${member}`).join(' ')
  return `${concept} ${days} [${members}] ${value} ${unit} ${decimals}`
}

/** The figures of an instance as its text states them: the local name of each element with a unit, and its number. */
export function figuresInText(text: string): string[] {
  const elements = text.matchAll(/<((?:[\w.-]+:)?)([\w.-]+)\s[^>]*unitRef=[^>]*?(?:\/>|>([^<]*)<)/g)
  return [...elements]
    .map(([, , name, value = '']) => `${name} ${value.trim() === '' ? null : Number(value)}`)
    .sort()
}

/** The same figures as a reader returns them. */
export const figuresIn = ({ figures }: WholeFiling): string[] =>
  figures
    .map(
      ({ concept, value }) =>
        `${concept.slice(concept.indexOf(':') + 1)} ${value === null ? null : Number(value)}`,
    )
    .sort()
