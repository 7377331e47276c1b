import type { IsoDate } from '../../dates.ts'
import { dayOf } from '../../instants.ts'
import { resolveAsOf, type SentAsOf } from '../../markets/asOf.ts'
import type { SnapshotDeps } from '../companies/deps.ts'
import { lineageOf, lineageShown } from '../companies/lineage.ts'
import { readSuccessions } from '../companies/lineageQueries.ts'
import { type FoundCompany, findByAnyId } from '../companies/lookup.ts'
import { readSymbolsOf, type SymbolOfCompany } from '../companies/symbolQueries.ts'
import { metricCoverage } from '../coverage/queries.ts'
import {
  filedAttributes,
  latestCurrency,
  readFormerNames,
  readState,
  readStatements,
  todayAttributes,
} from './queries.ts'
import type { Company } from './schema.ts'
import { spellsOf } from './timeline.ts'

/**
 * What was known about a company on a day or at an instant. Attributes that the register states without a day are known
 * only as of today. They are omitted for past days, because showing them would be look-ahead.
 */
export async function readProfile(deps: SnapshotDeps, id: string, sent: SentAsOf | null): Promise<Company> {
  const { sql, markets } = deps
  const found = await findByAnyId(deps, id, sent)
  const { entity, ticker, notes } = found
  const asOf = resolveAsOf(markets, entity.market, sent, deps.today())
  const filed = await filedAttributes(sql, entity.entityId, asOf)
  const { dataVersion, metrics } = await metricCoverage(sql, entity.entityId, asOf)
  const manifest = markets.get(entity.market)
  const sector = sectorOf(filed.sector)
  const symbols = shownSymbols(await readSymbolsOf(sql, entity), dayOf(asOf))
  const lineage = lineageOf(await readSuccessions(sql), entity.entityId, asOf)
  const shownLineage = lineage === null ? null : lineageShown(lineage)
  return {
    object: 'company',
    id,
    ticker,
    issuer_id: entity.issuerId,
    market: entity.market,
    as_of: asOf,
    data_version: dataVersion,
    name: attribute(filed.name, filed.nameFiled),
    sector: sector === null || filed.sectorFiled === null ? null : { ...sector, filed: filed.sectorFiled },
    fiscal_year_end: attribute(filed.yearEnd, filed.yearEndFiled),
    filer_status: filerStatusOf(filed.filerStatus, filed.filerStatusFiled),
    state: await readState(sql, entity.entityId, asOf),
    former_names: [...(await readFormerNames(sql, entity.entityId, asOf, asOf === deps.today()))],
    timeline: spellsOf(await readStatements(sql, entity.entityId, asOf), symbols, shownLineage),
    currency: await latestCurrency(sql, entity.entityId, asOf),
    first_filed: filed.first,
    last_filed: filed.last,
    filings: filed.filings,
    metrics,
    ...(symbols.length === 0 ? {} : { symbols }),
    ...(shownLineage === null ? {} : { lineage: shownLineage }),
    ...(asOf === deps.today() ? { today: await today(deps, found) } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

/** The symbols that began by the day, without any end after it, which was not known then. */
const shownSymbols = (symbols: readonly SymbolOfCompany[], day: IsoDate) =>
  symbols
    .filter(({ from }) => from <= day)
    .map(({ to, ...symbol }) => ({ ...symbol, to: to !== null && to < day ? to : null }))

const attribute = (value: string | null, filed: IsoDate | null) =>
  value === null || filed === null ? null : { value, filed }

/** The SEC's categories, as its data sets abbreviate them. */
const filerStatuses: Readonly<Record<string, string>> = {
  '1-LAF': 'large accelerated filer',
  '2-ACC': 'accelerated filer',
  '3-SRA': 'smaller reporting accelerated filer',
  '4-NON': 'non-accelerated filer',
  '5-SML': 'smaller reporting company',
}

const filerStatusOf = (code: string | null, filed: IsoDate | null) =>
  code === null || filed === null ? null : { code, value: filerStatuses[code] ?? null, filed }

/** Stored as scheme, code and name, separated by spaces. */
function sectorOf(stored: string | null) {
  if (stored === null) return null
  const [scheme = '', code = '', ...name] = stored.split(' ')
  return { scheme, code, name: name.length === 0 ? null : name.join(' ') }
}

async function today({ sql }: SnapshotDeps, { entity, ticker, aliases }: FoundCompany) {
  const { name, otherNames, status, exchange, sector, yearEnd } = await todayAttributes(sql, entity.entityId)
  const others = [ticker, ...aliases].filter(id => id !== entity.ticker)
  return {
    name,
    other_names: otherNames,
    status,
    exchange,
    sector: sectorOf(sector),
    fiscal_year_end: yearEnd,
    current_ids: [entity.ticker, ...others],
    former_ids: entity.formerIds,
  }
}
