import type { ClockReading } from '../../facts/reportedFact.ts'

/**
 * The columns of `fundamentals.csv.gz`: a served row, and what the service needs to derive the rest again.
 * The last four contain what the filing states about the company and what sources show as its time
 * (`readingsText`), and only its first row has them.
 */
export const sampleColumns = [
  'm',
  'fy',
  'fp',
  'end',
  'filed',
  'v',
  'u',
  'ticker',
  'issuer_id',
  'start',
  'tag',
  'accession',
  'form',
  'accepted_at',
  'market',
  'rounded',
  'fiscal_year_end',
  'company_name',
  'sector',
  'readings',
] as const

/** The columns of `entities.csv`. */
export const entityColumns = [
  'market',
  'issuer_id',
  'tickers',
  'tickers_assumed',
  'name',
  'other_names',
  'fiscal_year_end',
  'sector',
  'exchange',
  'status',
] as const

/** `2010-01-25T16:26:00 local;2010-01-25T16:26:11 utc 0000320193`: digits, clock and, in a list, its filer. */
export const readingsText = (readings: readonly ClockReading[]): string =>
  readings
    .map(({ lister, shown, clock }) =>
      `${new Date(shown).toISOString().slice(0, 19)} ${clock} ${lister}`.trimEnd(),
    )
    .sort()
    .join(';')

export const readingsOf = (text: string): ClockReading[] =>
  text.split(';').map(reading => {
    const [digits, clock, lister = ''] = reading.split(' ')
    const known = clocks.find(one => one === clock)
    if (known === undefined) throw new Error(`The sample has a reading with the clock ${clock}.`)
    return { lister, shown: Date.parse(`${digits}Z`), clock: known }
  })

const clocks = ['local', 'utc', 'open', 'doubtful'] as const

/** The value of a true flag; false is empty. */
export const yes = 'yes'

/** Separates the other names of an entity: no register uses it within a name. */
export const nameSeparator = '|'
