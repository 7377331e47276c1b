import type { EntityProfile } from '../../model/statement.ts'

/** A company by its CVR number. A report names it as it was called then, so a name that is known stays. */
export const companyOf = (cvr: string, name: string | null): EntityProfile => ({
  market: 'DK',
  issuerId: cvr,
  ...(name === null ? {} : { name, nameIsFallback: true }),
  tickers: [`${cvr}.DK`],
  registers: true,
})
