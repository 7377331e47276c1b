import type { CheckState } from '../markets/checkStates.ts'

/**
 * What one filing reports for one metric and period: a register's figure after its tag was mapped to a
 * metric. Days are days since 1970-01-01.
 */
export interface ReportedFact {
  readonly metric: string
  /** The register's own name, unchanged: `us-gaap:Revenues`. */
  readonly tag: string
  readonly unit: string
  /** First day of the period; null for a balance, which has only one day. */
  readonly start: number | null
  readonly end: number
  readonly value: number
  /** True if the source rounded the period's end to a month end. */
  readonly rounded: boolean
  readonly filing: Filing
  /** Set if the statements of its filing are known. */
  readonly check?: CheckState
}

/** A filing, with the fields that determine its order among other filings. */
export interface Filing {
  /**
   * Unique across all registers: outside the United States, the market and a colon precede the register's own
   * number.
   */
  readonly accession: string
  readonly form: string
  /** `unknownFilingDate` until a source states it. */
  readonly filed: number
  /**
   * The instant at which the register accepted it, in milliseconds since 1970 (UTC); null if no source states
   * it unambiguously. The filing then counts from the end of its day.
   */
  readonly acceptedAt: number | null
  /**
   * The times of acceptance as sources show them, in any order, if they do not determine an instant on their own.
   * `acceptedAt` then follows from all readings of the filer (`Register.settleTimes`).
   */
  readonly readings?: readonly ClockReading[]
  /** `MMDD`: the company's year end on the day of the filing, if the source states it. */
  readonly fiscalYearEnd?: string
  /** The company's name as the filing's document gives it. */
  readonly companyName?: string
  /**
   * The company's industry as the filing's document gives it: scheme, code and, if stated, name (`SIC 3571`).
   */
  readonly sector?: string
}

/** A time as a source shows it. It may take other readings of the same list to tell which clock it is on. */
export interface ClockReading {
  /** The register's number of the filer in whose list it is shown; '' for a source whose clock is known. */
  readonly lister: string
  /** The digits, as milliseconds since 1970 as if they were UTC. */
  readonly shown: number
  /**
   * The clock at this row as far as the list alone reveals it: the register's local time, UTC, undetermined (`open`),
   * or contradicted by its neighbour (`doubtful`).
   */
  readonly clock: 'local' | 'utc' | 'open' | 'doubtful'
}

/**
 * The filing date if no source has stated one yet. It is later than any day, so the filing's facts are stored
 * and not served.
 */
export const unknownFilingDate = Number.POSITIVE_INFINITY

/** What one file of a register states about one entity. */
export interface ParsedDocument {
  readonly profile: EntityProfile
  readonly reportedFacts: readonly ReportedFact[]
  /** Filings whose day or acceptance time the source states, whether or not they report figures. */
  readonly filings: readonly Filing[]
  /**
   * For registers that overwrite their data: the day on which the register stated this. If omitted, the day
   * of the import counts.
   */
  readonly observedOn?: number
}

/** How a register identifies and describes an entity. Fields that a source does not state are left out. */
export interface EntityProfile {
  readonly market: string
  /** The register's own number, as the market's manifest spells it: the ten digits of a CIK. */
  readonly issuerId: string
  readonly name?: string
  /** True if a name from a better source replaces this one. */
  readonly nameIsFallback?: boolean
  /**
   * The name in other languages or scripts, as the register gives it. Search finds it; it is never displayed.
   */
  readonly otherNames?: readonly string[]
  /** Preferred first. An empty list says that there is none. */
  readonly tickers?: readonly string[]
  /**
   * True if only one of the tickers is right and the source does not say which. An entity that has none of them gets all
   * of them until a source names the right one.
   */
  readonly tickersAssumed?: boolean
  /** Tickers that were assumed elsewhere and do not belong to the entity. */
  readonly tickersRefuted?: readonly string[]
  /** `MMDD`. */
  readonly fiscalYearEnd?: string
  /**
   * Today's industry, because the register states it without a day: scheme, code and name (`SIC 3571
   * Electronic Computers`).
   */
  readonly sector?: string
  /** Today's exchange, because the register states it without a day. */
  readonly exchange?: string
  readonly status?: string
  /**
   * False if the source names many entities that never file accounts, so it does not add unknown entities.
   */
  readonly registers: boolean
}

/** Identifies an entity in maps and in lists of companies: `JP E02367`. */
export const entityKey = ({ market, issuerId }: Pick<EntityProfile, 'market' | 'issuerId'>) =>
  `${market} ${issuerId}`
