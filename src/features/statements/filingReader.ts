import type { SqlClient } from '../../postgres/client.ts'
import {
  type KnownFiling,
  openWholeFilings,
  type StoredFiling,
} from '../../wholeFilings/knownFilingQueries.ts'
import type { Terms } from '../../wholeFilings/terms.ts'
import type { CompanyDeps } from '../companies/deps.ts'

/** Dependencies of the routes that read a company's filings. */
export interface WholeFilingDeps extends Pick<CompanyDeps, 'markets'> {
  /** Shared by all requests of a process. */
  readonly terms: Terms
  /** The forms of annual reports in a market. */
  readonly annualFormOf: (market: string) => RegExp
}

/** No request reads more filings at once. */
export const maxFilingsRead = 60

/** Reads each filing of a request at most once. */
export class FilingReader {
  readonly #deps: WholeFilingDeps & { readonly sql: SqlClient }
  readonly #read = new Map<number, StoredFiling>()

  constructor(deps: WholeFilingDeps & { readonly sql: SqlClient }) {
    this.#deps = deps
  }

  /** How many more filings the request may read. */
  get left(): number {
    return maxFilingsRead - this.#read.size
  }

  /** The filings that the request may read, in their order: those that it has read, and as many others as are left. */
  affordable(filings: readonly KnownFiling[]): readonly KnownFiling[] {
    let { left } = this
    return filings.filter(({ filingId }) => this.#read.has(filingId) || left-- > 0)
  }

  async read(filing: KnownFiling): Promise<StoredFiling> {
    const [whole] = await this.readAll([filing])
    return whole
  }

  async readAll(filings: readonly KnownFiling[]): Promise<readonly StoredFiling[]> {
    const { sql, terms } = this.#deps
    const missing = filings.filter(({ filingId }) => !this.#read.has(filingId))
    const read = missing.length === 0 ? [] : await openWholeFilings(sql, terms, missing)
    missing.forEach(({ filingId }, at) => {
      this.#read.set(filingId, read[at])
    })
    return filings.flatMap(({ filingId }) => this.#read.get(filingId) ?? [])
  }
}
