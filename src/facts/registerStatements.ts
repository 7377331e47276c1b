import type { Filing } from './reportedFact.ts'

/** Everything that a document of a register states about filings and filers except figures. */
export interface RegisterStatements {
  readonly entries: readonly RegisterEntry[]
  readonly indexes: readonly RegisterIndex[]
  readonly formerNames: readonly FormerName[]
  readonly covers?: readonly StatedSymbols[]
  readonly announcements?: readonly Announcement[]
}

/**
 * A filing with which a registrant announced its results, usually before the report that has the figures. Its time is
 * settled like that of any other filing (`Register.settleTimes`).
 */
export interface Announcement {
  readonly market: string
  /** The register's number of the registrant. */
  readonly issuerId: string
  readonly filing: Filing
}

/** The symbols on the cover page of a filing, which another part of the document or another document dates. */
export interface StatedSymbols {
  readonly market: string
  /** The register's number of the company. */
  readonly issuerId: string
  readonly accession: string
  readonly symbols: readonly string[]
}

/**
 * What a register's index, data set or document states about one filing of one registrant. Unlike a `Filing`, it does not
 * require figures or a company that we have. A filing of several registrants has an entry for each of them.
 */
export interface RegisterEntry {
  readonly market: string
  /** The register's number of the registrant. */
  readonly issuerId: string
  readonly accession: string
  readonly form: string
  /** Days since 1970-01-01. */
  readonly filed: number
  /** True if the source says that the filing has figures in XBRL. */
  readonly isStructured: boolean
  /** For a notice that removes a class of securities: whether the class is shares. Omitted if the document does not say. */
  readonly isEquity?: boolean
  readonly companyName?: string
  /** As in `Filing`: `SIC 3571`. */
  readonly sector?: string
  /** `MMDD`. */
  readonly fiscalYearEnd?: string
  /** The register's code: `1-LAF`. */
  readonly filerStatus?: string
}

/** The first and last day of a period for which a document lists all filings, in days since 1970-01-01. */
export interface RegisterIndex {
  readonly market: string
  /** False if it lists only filings with figures in XBRL. */
  readonly isFull: boolean
  readonly first: number
  readonly last: number
}

/** A name that a registrant no longer has, and the days of its use since 1970-01-01. */
export interface FormerName {
  readonly market: string
  readonly issuerId: string
  readonly name: string
  /** Null if the source states only the last day. */
  readonly from: number | null
  readonly until: number
}
