import { type Static, Type } from '@sinclair/typebox'
import { queryReader } from '../../../http/parameters.ts'
import { PriceSetParams, PricesQuery } from '../../prices/schema.ts'
import { companyAddress, queryText } from '../companyFrame.ts'

const { as_of, tz } = PricesQuery.properties

export const CompanyPricesQuery = Type.Object(
  { as_of, tz, set: Type.Optional(PriceSetParams.properties.set) },
  { additionalProperties: false },
)
export type CompanyPricesQuery = Static<typeof CompanyPricesQuery>
export const readCompanyPricesQuery = queryReader(CompanyPricesQuery)

export const companyPricesPath = (ticker: string, { as_of, tz, set }: CompanyPricesQuery = {}): string =>
  `${companyAddress(ticker)}/prices${queryText({ as_of, tz, set })}`
