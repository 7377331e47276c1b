import { addDays, type IsoDate } from '../dates.ts'
import { Failure } from '../errors.ts'
import { demoPrincipal, isFreeData, type Licence, type Principal } from './licences.ts'

declare const answeredByRights: unique symbol

/** Whether a caller sees only the most recent fiscal year of a company, or of each company of a market. Only
 * `Rights` can produce this type, and plans and statements that read figures require it, so no code path can
 * read figures without asking `Rights`. */
export type RecentYearOnly = boolean & { readonly [answeredByRights]: true }

/** The ids of a company: the one that was found, and its preferred one. */
interface CompanyIds {
  readonly ticker: string
  readonly preferred: string
}

type PastParameter = 'as_of' | 'data_version'

/** How long signals are delayed without the quant plan. */
const signalDelayDays = 90

/** What a caller may see. Authentication creates the rights of a key, of a visitor's account and of the demo
 * key (`rightsFor`), and everything that shows figures consults them. What each licence includes is in
 * `licences.ts`, and how companies count against a cap in `entityCap.ts`.
 *
 * Demo and free keys see the flagship companies in full. For every other company they see the most recent
 * fiscal year with a full year reported, as known today, in the current data version. Other licences see
 * everything. */
export class Rights implements Principal {
  readonly keyId: number | null
  readonly licence: Licence
  readonly quant: boolean
  readonly entityCap: number | null
  readonly bulk: boolean
  readonly #flagships: ReadonlySet<string>

  /** @param flagships ids in upper case; without them, no company is open to everybody */
  constructor(
    { keyId, licence, quant, entityCap, bulk }: Principal,
    flagships: ReadonlySet<string> = new Set(),
  ) {
    this.keyId = keyId
    this.licence = licence
    this.quant = quant
    this.entityCap = entityCap
    this.bulk = bulk
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
    throw this.#refusal(
      param,
      `${param} for ${company.ticker} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}. Omit ${param} to get the most recent reported fiscal year.`,
    )
  }

  /** Like `requirePastOf`, for a request about all companies of a market. */
  requirePastOfMarket(param: PastParameter): void {
    if (this.seesAllHistory) return
    throw this.#refusal(
      param,
      `${param} for all companies of a market requires ${sufficient}; this key has the ${this.licence} licence. Omit ${param} to get the most recent reported fiscal year of each company.`,
    )
  }

  /** Fails if the request asks for an earlier data version that is not open to the caller.
   *
   * @param what what the request is about, for the message
   * @param ids the companies that the request names; null: it covers more than named companies */
  requireVersion(version: number | undefined, what: string, ids: readonly string[] | null): void {
    if (version === undefined || this.seesAllHistory) return
    if (ids?.every(id => this.seesHistoryOf(id.toUpperCase()))) return
    throw this.#refusal(
      'data_version',
      `data_version for ${what} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}. Omit data_version for the present.`,
    )
  }

  /** Fails if an as-of join includes a company whose past days are not open. */
  requireJoin(companies: readonly (CompanyIds & { readonly sentId: string | null })[]): void {
    const closed = companies.find(company => this.recentYearOnly(company))
    if (closed === undefined) return
    throw this.#refusal(
      'rows',
      `An as-of join with ${closed.sentId ?? closed.ticker} requires ${sufficient}. The ${this.licence} licence allows it only for ${this.#open}.`,
    )
  }

  /** Fails if the caller may not download the whole data set.
   *
   * @param what the subject of the message's sentence */
  requireBulk(what: string): void {
    if (this.bulk) return
    const mend =
      this.licence === 'oem'
        ? 'an OEM licence includes them where its order form says so, and this one does not'
        : `this ${this.licence} key does not include them`
    throw this.#refusal(
      'Authorization',
      `${what} need the redistribution licence; ${mend}. The operator creates such a key with \`./asfiled keys create --email <address> --licence redistribution\`.`,
    )
  }

  /** How many days the newest signals are withheld. */
  get signalDelayDays(): number {
    return this.quant ? 0 : signalDelayDays
  }

  /** The last day whose signals are shown; null: all are. */
  lastSignalDay(today: IsoDate): IsoDate | null {
    return this.quant ? null : addDays(today, -signalDelayDays)
  }

  get #open(): string {
    return this.openCompanies.join(', ') || 'no company'
  }

  #refusal(param: string, message: string): Failure {
    return new Failure('licence_required', message, { param })
  }
}

const sufficient = 'an evaluation key or a Personal or Commercial data licence'

export type RightsOf = (principal: Principal) => Rights

/** Creates the rights of all callers of a process, given its flagship companies. */
export function rightsFor({ flagshipTickers }: { readonly flagshipTickers: readonly string[] }): RightsOf {
  const flagships = new Set(flagshipTickers.map(ticker => ticker.toUpperCase()))
  const demo = new Rights(demoPrincipal, flagships)
  return principal => (principal === demoPrincipal ? demo : new Rights(principal, flagships))
}
