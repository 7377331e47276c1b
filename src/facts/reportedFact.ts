/** A filing as far as the order of what it says matters. Days are days since 1970-01-01. */
export interface Filing {
  /** Unique over all registers: outside the United States the market and a colon precede the register's own number. */
  readonly accession: string
  readonly form: string
  /** `untold` while no source has said it. */
  readonly filed: number
  /** Milliseconds since 1970 by the register's own clock; null where no source states it. It orders filings of
   * one day and nothing else. */
  readonly acceptedAt: number | null
}

/** The day of a filing that no source has told yet. What it says is kept and not served: it is after every day. */
export const untold = Number.POSITIVE_INFINITY

/** What one filing says of one metric of one period: a register's figure after its tag was understood. */
export interface Statement {
  readonly metric: string
  /** The register's own name, kept: `us-gaap:Revenues`. */
  readonly tag: string
  readonly unit: string
  /** First day of the period; null for a figure that stands on a day. */
  readonly start: number | null
  readonly end: number
  readonly value: number
  /** The source rounded the period's end to a month end. */
  readonly rounded: boolean
  readonly filing: Filing
}

/** What a register calls an entity. Fields that a source does not state are left out. */
export interface EntityProfile {
  readonly market: string
  /** The register's own number, as the market's manifest spells it: the ten digits of a CIK. */
  readonly issuerId: string
  readonly name?: string
  /** True: the name gives way to one from a better source. */
  readonly nameIsFallback?: boolean
  /** The same in other languages or scripts, as the register gives them: found by a search, never shown as the name. */
  readonly otherNames?: readonly string[]
  /** Preferred first. An empty list says that there is none. */
  readonly tickers?: readonly string[]
  /** True: one of the tickers is right and the source does not say which. They are given to an entity that has none of
   * them, and stand until a source names the right one. */
  readonly tickersAssumed?: boolean
  /** Tickers that were assumed elsewhere and are none of the entity's. */
  readonly tickersRefuted?: readonly string[]
  /** `MMDD`. */
  readonly fiscalYearEnd?: string
  /** False: the source names many who never file accounts, so an unknown entity is not registered for it. */
  readonly registers: boolean
}

/** What one file says of one entity. */
export interface Contribution {
  readonly profile: EntityProfile
  readonly statements: readonly Statement[]
  /** Filings whose day or acceptance time the source states, with or without figures. */
  readonly filings: readonly Filing[]
  /** Of a register that overwrites: the day on which it said so. Without it the day of the import counts. */
  readonly pulledOn?: number
}

/** One thing that a register that overwrites said of a filing, and the days on which it was read and said so. */
export interface PulledFiling {
  /** As the document has it: its own accession, without the day of an edit, and its own filing day. */
  readonly filing: Filing
  /** All of this filing. */
  readonly statements: readonly Statement[]
  /** In order. `longAgo` is before every day. */
  readonly days: readonly number[]
}

/** The day of what is on record from before readings were kept. */
export const longAgo = Number.NEGATIVE_INFINITY

/** Fiscal period: 0 for the year, 1 to 4 for its quarters. */
export type FiscalPeriod = 0 | 1 | 2 | 3 | 4

/** One vintage of one figure, as it is stored. */
export interface FactRow {
  readonly metric: string
  readonly fp: FiscalPeriod
  readonly fy: number
  readonly unit: string
  /** null: derived from other figures. */
  readonly tag: string | null
  readonly start: number | null
  readonly end: number
  readonly rounded: boolean
  readonly value: number
  readonly filing: Filing
  /** The filed day of the next vintage; null while this is the last. */
  readonly superseded: number | null
}

/** A statement that made no vintage: it repeats what was known, is in another currency than its filing's own, only
 * stands in for a better one, or is of no fiscal period. Kept, never served. */
export interface RepeatRow {
  readonly statement: Statement
  /** The name it is stored under: half a year and nine months have one of their own. */
  readonly metric: string
  readonly label: { readonly fy: number; readonly fp: FiscalPeriod } | null
}

/** What a metric's figures allow. */
export interface MetricRule {
  readonly kind: 'flow' | 'instant'
  /** False for shares and per-share figures: the difference of two periods means nothing. */
  readonly additive: boolean
}

/** A register's table from tags to metrics, as far as deriving facts needs it. */
export interface MetricRules {
  rule(metric: string): MetricRule
  /** Order of preference of a tag for a metric: lower is better. */
  rank(metric: string, tag: string): number
  /** Tags of one group mean the same; a figure of a later group only stands in where a better one is missing. */
  group(metric: string, tag: string): number
  /** Reports whose years are the entity's fiscal years. */
  readonly annualForm: RegExp
  /** Reports on a part of a fiscal year. */
  readonly quarterlyForm: RegExp
  /** Reports that say of themselves that they are on the time between two fiscal years of different ends. */
  readonly transitionForm?: RegExp
  /** The last balance of an annual report closes a fiscal year, even where no flow of a year ends with it. */
  readonly balanceEndsYear?: boolean
  /** Tags of equity or liabilities beside which a balance sheet may state more that has no metric: minority interests,
   * temporary equity, provisions without a total. */
  readonly partialTags?: RegExp
  /** Of which accounts a tag is, the better ones first (0 the group's, 1 the company's alone): of one filing only the best
   * are served, and no figure is derived from two. Left out where a register's tags are all of one kind. */
  readonly basis?: (tag: string) => number
}
