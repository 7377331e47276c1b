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
  readonly #complete: (filing: StoredFiling) => StoredFiling
  readonly #read = new Map<number, StoredFiling>()
  #expected: readonly KnownFiling[] = []
  readonly #readAhead = new Map<number, StoredFiling>()

  /** @param complete makes of what is stored what the request reads */
  constructor(
    deps: WholeFilingDeps & { readonly sql: SqlClient },
    complete: (filing: StoredFiling) => StoredFiling = filing => filing,
  ) {
    this.#deps = deps
    this.#complete = complete
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

  /** The next read reads these filings, too. They count towards the limit when they are asked for. */
  expect(filings: readonly KnownFiling[]): void {
    this.#expected = filings
  }

  async read(filing: KnownFiling): Promise<StoredFiling> {
    const [whole] = await this.readAll([filing])
    return whole
  }

  async readAll(filings: readonly KnownFiling[]): Promise<readonly StoredFiling[]> {
    await this.#load(filings)
    return filings.flatMap(({ filingId }) => {
      const read = this.#read.get(filingId) ?? this.#readAhead.get(filingId)
      if (read === undefined) return []
      this.#read.set(filingId, read)
      return read
    })
  }

  async #load(filings: readonly KnownFiling[]): Promise<void> {
    const { sql, terms } = this.#deps
    const isMissing = ({ filingId }: KnownFiling) =>
      !this.#read.has(filingId) && !this.#readAhead.has(filingId)
    if (!filings.some(isMissing)) return
    const missing = [...new Set([...filings, ...this.#expected])].filter(isMissing)
    this.#expected = []
    const read = await openWholeFilings(sql, terms, missing)
    missing.forEach(({ filingId }, at) => {
      this.#readAhead.set(filingId, this.#complete(read[at]))
    })
  }
}
