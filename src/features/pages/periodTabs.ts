/** The kinds of periods that the columns of a company's page may show. */
export const tabs = ['years', 'quarters', 'ttm'] as const
export type Tab = (typeof tabs)[number]

/** The fiscal periods of each, as the API names them. */
export const periodsOf: Readonly<Record<Tab, string>> = {
  years: 'FY',
  quarters: 'Q1,Q2,Q3,Q4',
  ttm: 'TTM',
}
