import type { IsoDate } from '../../dates.ts'
import type { SnapshotDeps } from '../companies/deps.ts'
import { type FoundCompany, findByAnyId } from '../companies/lookup.ts'
import { metricCoverage } from '../coverage/queries.ts'
import { filedAttributes, latestCurrency, todayAttributes } from './queries.ts'
import type { Company } from './schema.ts'

/**
 * What was known about a company on a day. Whatever the register states without a day is known only as of
 * today, and is omitted for past days: to show it there would be look-ahead.
 */
export async function readProfile(deps: SnapshotDeps, id: string, asOf: IsoDate): Promise<Company> {
  const { sql, markets } = deps
  const found = await findByAnyId(deps, id)
  const { entity, ticker, notes } = found
  const filed = await filedAttributes(sql, entity.entityId, asOf)
  const { dataVersion, metrics } = await metricCoverage(sql, entity.entityId, asOf)
  const manifest = markets.get(entity.market)
  const sector = sectorOf(filed.sector)
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
    currency: await latestCurrency(sql, entity.entityId, asOf),
    first_filed: filed.first,
    last_filed: filed.last,
    filings: filed.filings,
    metrics,
    ...(asOf === deps.today() ? { today: await today(deps, found) } : {}),
    attribution: manifest ? [manifest.attribution] : [],
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  }
}

const attribute = (value: string | null, filed: IsoDate | null) =>
  value === null || filed === null ? null : { value, filed }

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
