import { Failure } from '../errors.ts'
import { isFreeData, type Licence } from './licences.ts'

declare const answeredByRights: unique symbol

/** Whether a caller sees only the most recent fiscal year of a company, or of each company of a market. Only
 * this class can produce it, and plans and statements that read figures require it, so no code path can
 * read figures without asking `Rights`. */
export type RecentYearOnly = boolean & { readonly [answeredByRights]: true }

/** The ids of a company: the one that was found, and its preferred one. */
interface CompanyIds {
  readonly ticker: string
  readonly preferred: string
}

type PastParameter = 'as_of' | 'data_version'

/** Decides which companies a caller sees in full. Demo and free keys see the whole history of the flagship
 * companies. Of every other company they see only the most recent fiscal year with a full year reported, as known
 * today, in the current data version. Other licences see everything. */
export class OpenHistory {
  readonly licence: Licence
  readonly #flagships: ReadonlySet<string>

  /** @param flagships ids in upper case; without them, no company is open to everybody */
  constructor(licence: Licence, flagships: ReadonlySet<string>) {
    this.licence = licence
    this.#flagships = flagships
  }

  /** Whether every day, year and data version of all companies is open. */
  get seesAllHistory(): boolean {
    return !isFreeData(this)
  }

  /** Whether every day, year and data version of a company is open.
   *
   * @param ids in upper case: a flagship company is recognised by any of its ids */
  seesHistoryOf(...ids: readonly string[]): boolean {
    return this.seesAllHistory || ids.some(id => this.#flagships.has(id))
  }

  /** The companies that every caller sees in full. */
  get openCompanies(): readonly string[] {
    return [...this.#flagships]
  }

  recentYearOnly({ ticker, preferred }: CompanyIds): RecentYearOnly {
    return !this.seesHistoryOf(ticker, preferred) as RecentYearOnly
  }

  /** On pages of a market, flagship companies are no exception. */
  get recentYearOnlyOfMarkets(): RecentYearOnly {
    return !this.seesAllHistory as RecentYearOnly
  }

  /** Fails if a request for one company asks for a day or a data version that is not open. */
  requirePastOf(company: CompanyIds, param: PastParameter | null): void {
    if (param === null || !this.recentYearOnly(company)) return
    throw refused(
      param,
      `${param} for ${company.ticker} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}. Omit ${param} to get the most recent reported fiscal year.`,
    )
  }

  /** Fails if the caller sees only one fiscal year of the company: a filing also states other years. */
  requireFilingsOf(company: CompanyIds): void {
    if (!this.recentYearOnly(company)) return
    throw refused(
      'ticker',
      `Whole filings of ${company.ticker} require ${sufficient}, because a filing cannot be cut to the most recent fiscal year. The ${this.licence} licence includes them only for ${this.#open}. GET /api/v1/fundamentals has the figures of the most recent fiscal year.`,
    )
  }

  /** Like `requirePastOf`, for a request about all companies of a market. */
  requirePastOfMarket(param: PastParameter): void {
    if (this.seesAllHistory) return
    throw refused(
      param,
      `${param} for all companies of a market requires ${sufficient}; this key has the ${this.licence} licence. Omit ${param} to get the most recent reported fiscal year of each company.`,
    )
  }

  /** Fails unless every day and year of all companies is open.
   *
   * @param what the subject of the message's sentence */
  requireHistoryOfMarket(what: string): void {
    if (this.seesAllHistory) return
    throw refused(
      'Authorization',
      `${what} show any period of all companies of a market, which requires ${sufficient}; this key has the ${this.licence} licence.`,
    )
  }

  /** Fails if the request asks for an earlier data version that is not open to the caller.
   *
   * @param what what the request is about, for the message
   * @param ids the companies that the request names; null: it covers more than named companies */
  requireVersion(version: number | undefined, what: string, ids: readonly string[] | null): void {
    if (version === undefined || this.seesAllHistory) return
    if (ids?.every(id => this.seesHistoryOf(id.toUpperCase()))) return
    throw refused(
      'data_version',
      `data_version for ${what} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}. Omit data_version for the present.`,
    )
  }

  /** Fails if an as-of join includes a company whose past days are not open. */
  requireJoin(companies: readonly (CompanyIds & { readonly sentId: string | null })[]): void {
    const closed = companies.find(company => this.recentYearOnly(company))
    if (closed === undefined) return
    throw refused(
      'rows',
      `An as-of join with ${closed.sentId ?? closed.ticker} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}.`,
    )
  }

  get #open(): string {
    return this.openCompanies.join(', ') || 'no company'
  }
}

const sufficient = 'an evaluation key or a Personal or Commercial data licence'

const refused = (param: string, message: string) => new Failure('licence_required', message, { param })
