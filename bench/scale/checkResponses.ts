import type { RecordedResponse } from '../httpLoad/responseRecorder.ts'
import type { ChangedCompany, Changes } from './changedCompanies.ts'
import { type ServedCompany, servedCompany } from './plainCrossSection.ts'
import { plainHistory, plainLatest, plainText, type ServedRow, servedText } from './plainFacts.ts'

export interface CheckReport {
  /** The numbers of distinct responses with data only from before the import, and only from after it. */
  old: number
  fresh: number
  /** Responses with a later data version than their ETag. Only the tag is stale, not the data, and the tag soon expires. */
  newerThanTag: number
  readonly wrong: string[]
}

/** Checks that each response has the name and figures of its data version. Anything else is a mix of versions. */
export async function checkResponses(
  responses: AsyncIterable<RecordedResponse>,
  companies: ReadonlyMap<string, ChangedCompany>,
  asOf: string,
): Promise<CheckReport> {
  const report: CheckReport = { old: 0, fresh: 0, newerThanTag: 0, wrong: [] }
  const expect = expectation(companies, asOf)
  for await (const { name: recordedAs, tagVersion, body } of responses) {
    const [ticker, view] = recordedAs.split(' ')
    const { data_version: version, data, name } = JSON.parse(body)
    const expected = expect(ticker, view, version)
    const where = `${recordedAs} of data version ${version} (changed with ${expected.since}, ETag ${tagVersion})`
    if (servedText(data) !== expected.text) report.wrong.push(`${where}: other figures`)
    else if (name !== expected.name) report.wrong.push(`${where}: the name ${name}`)
    else if (tagVersion === null || tagVersion > version)
      report.wrong.push(`${where}: the tag is of later data`)
    else {
      if (expected.isFresh) report.fresh++
      else report.old++
      if (tagVersion < version) report.newerThanTag++
    }
  }
  return report
}

/** Errors in a response on several companies (`view=latest`), all of which must have one data version. */
export function checkBatch(
  text: string,
  companies: ReadonlyMap<string, ChangedCompany>,
  asOf: string,
): string[] {
  const { data_version: version, data, companies: listed } = JSON.parse(text)
  const rows = Map.groupBy<string, ServedRow & { ticker: string }>(data, ({ ticker }) => ticker)
  const expect = expectation(companies, asOf)
  return listed.flatMap(({ ticker, name }: { ticker: string; name: string }) => {
    const expected = expect(ticker, 'latest', version)
    if (servedText(rows.get(ticker) ?? []) === expected.text && name === expected.name) return []
    return [`${ticker} (${name}) in a batch of data version ${version} (changed with ${expected.since})`]
  })
}

/** Errors in a page of a cross-section. */
export function checkPage(
  text: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { since }: Changes,
): string[] {
  const { data_version: version, data }: { data_version: number; data: ServedCompany[] } = JSON.parse(text)
  const wrong = data.length === before.size ? [] : [`a page of ${data.length} companies, not ${before.size}`]
  for (const company of data) {
    const { ticker } = company
    const changed = since.get(ticker)
    const expected = changed !== undefined && version >= changed ? after : before
    if (servedCompany(company) !== expected.get(ticker))
      wrong.push(`${ticker} in a page of data version ${version} (changed with ${changed})`)
  }
  return wrong
}

function expectation(companies: ReadonlyMap<string, ChangedCompany>, asOf: string) {
  const texts = new Map<string, string>()
  return (ticker: string, view: string, version: number) => {
    const company = companies.get(ticker)
    if (company === undefined) throw new Error(`${ticker} is not one of the checked companies`)
    const { facts, name } = company
    const isFresh = version >= facts.since
    const key = `${ticker} ${view} ${isFresh}`
    const read = view === 'latest' ? plainLatest : plainHistory
    const text = texts.get(key) ?? plainText(read(isFresh ? facts.after : facts.before, asOf))
    texts.set(key, text)
    const since = `${facts.since}, name ${name.since}`
    return { text, isFresh, name: version >= name.since ? name.after : name.before, since }
  }
}
