import type { RecordedAnswer } from '../httpLoad/AnswerRecord.ts'
import type { Changes } from './changedCompanies.ts'
import { type ServedCompany, servedCompany } from './plainCrossSection.ts'
import {
  type PlainFact,
  plainHistory,
  plainLatest,
  plainText,
  type ServedRow,
  servedText,
} from './plainFacts.ts'

/** What the tables held of a company before and after an import, and with which data version they changed. */
export interface ChangedCompany {
  readonly ticker: string
  readonly facts: {
    readonly before: readonly PlainFact[]
    readonly after: readonly PlainFact[]
    readonly since: number
  }
  readonly name: { readonly before: string; readonly after: string; readonly since: number }
}

export interface Judgement {
  /** Different answers that were wholly of the data before, wholly of that after. */
  old: number
  fresh: number
  /** Answers of a later data version than the one that their ETag names. They are not stale: the tag is, and soon over. */
  newerThanTag: number
  readonly wrong: string[]
}

export const recordName = (ticker: string, view: string): string => `${ticker} ${view}`

/** Whether each answer is what its data version held, name and figures: anything else is a mix. */
export async function judgeAnswers(
  answers: AsyncIterable<RecordedAnswer>,
  companies: ReadonlyMap<string, ChangedCompany>,
  asOf: string,
): Promise<Judgement> {
  const judgement: Judgement = { old: 0, fresh: 0, newerThanTag: 0, wrong: [] }
  const expect = expectation(companies, asOf)
  for await (const { name: about, tagVersion, body } of answers) {
    const [ticker, view] = about.split(' ')
    const { data_version: version, data, name } = JSON.parse(body)
    const wanted = expect(ticker, view, version)
    const where = `${about} of data version ${version} (changed with ${wanted.since}, ETag ${tagVersion})`
    if (servedText(data) !== wanted.text) judgement.wrong.push(`${where}: other figures`)
    else if (name !== wanted.name) judgement.wrong.push(`${where}: the name ${name}`)
    else if (tagVersion === null || tagVersion > version)
      judgement.wrong.push(`${where}: the tag is of later data`)
    else {
      if (wanted.isFresh) judgement.fresh++
      else judgement.old++
      if (tagVersion < version) judgement.newerThanTag++
    }
  }
  return judgement
}

/** What is wrong with answers on several companies (`view=latest`): each has to be of one data version. */
export function judgeBatch(
  text: string,
  companies: ReadonlyMap<string, ChangedCompany>,
  asOf: string,
): string[] {
  const { data_version: version, data, companies: about } = JSON.parse(text)
  const rows = Map.groupBy<string, ServedRow & { ticker: string }>(data, ({ ticker }) => ticker)
  const expect = expectation(companies, asOf)
  return about.flatMap(({ ticker, name }: { ticker: string; name: string }) => {
    const wanted = expect(ticker, 'latest', version)
    if (servedText(rows.get(ticker) ?? []) === wanted.text && name === wanted.name) return []
    return [`${ticker} (${name}) in a batch of data version ${version} (changed with ${wanted.since})`]
  })
}

/** What is wrong with a page of a cross-section. */
export function judgePage(
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
    const wanted = changed !== undefined && version >= changed ? after : before
    if (servedCompany(company) !== wanted.get(ticker))
      wrong.push(`${ticker} in a page of data version ${version} (changed with ${changed})`)
  }
  return wrong
}

function expectation(companies: ReadonlyMap<string, ChangedCompany>, asOf: string) {
  const texts = new Map<string, string>()
  return (ticker: string, view: string, version: number) => {
    const company = companies.get(ticker)
    if (company === undefined) throw new Error(`nothing is known of ${ticker}`)
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
