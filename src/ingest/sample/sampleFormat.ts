/** The columns of `fundamentals.csv.gz`: a served row, and what the service needs to derive the rest again. */
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
] as const

/** Separates the other names of an entity: no register uses it within a name. */
export const nameSeparator = '|'
