import { Type } from '@sinclair/typebox'
import { CompanyNames, maxNamedCompanies } from '../companyProfile/names.ts'
import { read, type ToolCall, ToolRefusal } from './api.ts'

const ReadNames = Type.Object({ data: CompanyNames.properties.data })

/**
 * The minimum length of a row in characters, counting both its JSON and its line of text. It bounds how many
 * rows fit.
 */
const minRowCharacters = 135

type Named<Row> = Row & { readonly name: string | null }

/**
 * Adds company names to the rows that fit the response, with one request for all of them. If it is refused
 * because the request before exhausted a limit, the response goes out without names rather than not at all.
 *
 * @param skip rows that earlier responses have shown
 * @param version the data version that the caller chose
 */
export async function withNames<Row extends { readonly ticker: string }>(
  call: Pick<ToolCall, 'request'>,
  rows: readonly Row[],
  {
    skip,
    max,
    version,
  }: { readonly skip: number; readonly max: number; readonly version: number | undefined },
): Promise<Named<Row>[]> {
  const shown = rows.slice(skip, skip + Math.min(maxNamedCompanies, Math.ceil(max / minRowCharacters)))
  const names = await namesOf(
    call,
    shown.map(({ ticker }) => ticker),
    version,
  )
  return rows.map(row => ({ ...row, name: names.get(row.ticker) ?? null }))
}

export async function namesOf(
  call: Pick<ToolCall, 'request'>,
  tickers: readonly string[],
  version: number | undefined,
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(tickers)].slice(0, maxNamedCompanies)
  if (ids.length === 0) return new Map()
  const query = { ticker: ids.join(','), data_version: version }
  try {
    const { data } = await read(call, ReadNames, { path: '/api/v1/companies', query })
    return new Map(data.map(({ id, name }) => [id, name]))
  } catch (error) {
    if (error instanceof ToolRefusal) return new Map()
    throw error
  }
}

/** A company as text lines show it. */
export const companyIn = ({ ticker, name }: { readonly ticker: string; readonly name: string | null }) =>
  name === null ? ticker : `${ticker} ${name}`
