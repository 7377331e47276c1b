/**
 * The columns of `fundamentals.csv.gz`: a served row, and what the service needs to derive the rest again.
 * The last three contain what the filing states about the company, and only its first row has them.
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

/** The value of a true flag; false is empty. */
export const yes = 'yes'

/** Separates the other names of an entity: no register uses it within a name. */
export const nameSeparator = '|'
