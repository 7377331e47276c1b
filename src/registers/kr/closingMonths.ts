import { Failure } from '../../errors.ts'

/** More than the companies that ever filed. */
const mostCompanies = 1_000_000

/** The months in which companies' business years end, as the overviews of an import name them, in any order. */
export class ClosingMonths {
  readonly #ofCompany = new Map<string, ReadonlySet<number>>()

  /** Several where overviews of different days differ: a company may have changed its year. */
  of(corpCode: string): readonly number[] {
    return [...(this.#ofCompany.get(corpCode) ?? [])]
  }

  add(corpCode: string, month: number): void {
    const known = this.#ofCompany.get(corpCode)
    if (known === undefined && this.#ofCompany.size >= mostCompanies) {
      throw new Failure(
        'body_too_large',
        `Overviews of more than ${mostCompanies} companies in one import. Import them in parts, each with its statements.`,
      )
    }
    this.#ofCompany.set(corpCode, new Set([...(known ?? []), month]))
  }
}
