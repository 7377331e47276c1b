import { type Static, Type } from '@sinclair/typebox'
import { FundamentalsCompany } from '../../fundamentals/batchSchema.ts'
import { MissingComponents } from '../../fundamentals/missingSchema.ts'
import { FundamentalsList, FundamentalsRow } from '../../fundamentals/schema.ts'
import { read, type ToolCall } from '../api.ts'
import { originFields } from '../fields.ts'
import { said, shownAs } from '../schemas.ts'
import { inToolWords } from '../words.ts'

/**
 * Rows of fundamentals as the tools read and show them: the API's fields that add information to each row.
 */

const row = FundamentalsRow.properties
const list = FundamentalsList.properties
const company = FundamentalsCompany.properties

const ReadRow = Type.Object({
  ticker: row.ticker,
  m: row.m,
  fy: row.fy,
  fp: row.fp,
  end: row.end,
  filed: row.filed,
  v: row.v,
  u: row.u,
  until: row.until,
  kind: row.kind,
  stale: row.stale,
  stale_reason: row.stale_reason,
  generation: row.generation,
  split_factor: row.split_factor,
  accession: row.accession,
  form: row.form,
  url: row.url,
})
export type ReadRow = Static<typeof ReadRow>

/** A company in a response: its name and ID. */
export const CompanyOfAnswer = Type.Object({
  ticker: company.ticker,
  name: company.name,
  market: company.market,
  symbol_assumed: company.symbol_assumed,
  note: company.note,
})

const ReadList = Type.Object({
  as_of: list.as_of,
  data_version: list.data_version,
  licence: list.licence,
  attribution: list.attribution,
  note: list.note,
  missing: list.missing,
  ticker: Type.Optional(list.ticker),
  name: Type.Optional(list.name),
  market: Type.Optional(list.market),
  symbol_assumed: list.symbol_assumed,
  companies: Type.Optional(Type.Array(CompanyOfAnswer)),
  data: Type.Array(ReadRow),
})

/** Fields of a response about companies, besides its rows. */
export const figureFields = {
  ...originFields,
  companies: said(Type.Array(CompanyOfAnswer), 'Whose figures: names and notes.'),
  missing: Type.Optional(
    shownAs(Type.Array(MissingComponents), 'array', 'Computed metrics that lack components.'),
  ),
}

const FigureHead = Type.Object(figureFields)

interface Figures {
  readonly head: Static<typeof FigureHead>
  readonly rows: readonly ReadRow[]
}

export async function readFigures(
  call: Pick<ToolCall, 'request'>,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<Figures> {
  const found = await read(call, ReadList, { path: '/api/v1/fundamentals', query })
  const { as_of, data_version, licence, attribution, note, missing, ticker, name, market, data } = found
  const { symbol_assumed } = found
  const single = {
    ticker: ticker ?? '',
    name: name ?? null,
    market: market ?? '',
    ...given({ symbol_assumed, note: wordsOf(note) }),
  }
  const companies = found.companies?.map(one => ({
    ticker: one.ticker,
    name: one.name,
    market: one.market,
    ...given({ symbol_assumed: one.symbol_assumed, note: wordsOf(one.note) }),
  }))
  const head = {
    as_of,
    data_version,
    attribution,
    companies: companies ?? [single],
    ...given({ licence, missing }),
  }
  return { head, rows: data }
}

/** A note of the API, in the tools' terms. */
export const wordsOf = (note: string | undefined) => (note === undefined ? undefined : inToolWords(note))

/** Omits undefined fields. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const shown: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  return Object.assign(
    shown,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
  )
}

export const companyNames = (companies: readonly Static<typeof CompanyOfAnswer>[]) =>
  companies.map(({ ticker, name }) => (name === null ? ticker : `${name} (${ticker})`)).join(', ')

/** The API's notes on the companies, for the text. */
export const notesOf = (companies: readonly Static<typeof CompanyOfAnswer>[]) =>
  companies.flatMap(({ note }) => (note === undefined ? [] : [note])).join(' ')
