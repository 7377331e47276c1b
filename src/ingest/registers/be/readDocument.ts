import { Failure } from '../../../errors.ts'
import type { Contribution } from '../../../facts/reportedFact.ts'
import { isRecord } from '../../reading/fields.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import { jsonElements } from '../../reading/jsonElements.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import { type Accounts, accountsOfJson, accountsOfXbrl } from './accounts.ts'
import { readAccounts } from './figures.ts'
import { filingOf, References, readTable, referenceOf } from './references.ts'

/** Reads the documents of one import. Accounts know neither their enterprise nor their day: both are in references, which
 * may come in other files and after them. */
export function readTogether(): (document: SourceDocument) => DocumentContent {
  const references = new References()
  return ({ name, bytes }) => {
    if (/\.csv$/i.test(name)) return tableContent(decodeUtf8(bytes))
    if (/\.(xbrl|xml)$/i.test(name)) {
      const { reference, ...accounts } = accountsOfXbrl(decodeUtf8(bytes), name)
      if (reference !== null) return accountsContent([{ ...accounts, reference }], references)
      return {
        contributions: namedBy(accounts),
        figuresRead: accounts.figures,
        malformed: 0,
        leftOut: { 'an instance without its reference number in the file name': 1 },
      }
    }
    const items = [...jsonElements(bytes)]
    if (items.every(item => isRecord(item) && 'Rubrics' in item) && items.length > 0) {
      const accounts = items.filter(isRecord).map(accountsOfJson)
      const read = accounts.filter(one => one !== null)
      const content = accountsContent(read, references)
      return withReason(content, 'accounts without a reference number', accounts.length - read.length)
    }
    if (items.every(item => isRecord(item) && 'DepositDate' in item)) {
      return referencesContent(items.filter(isRecord), name, references)
    }
    throw new Failure(
      'body_invalid',
      'This is neither a list of references (`ReferenceNumber`, `DepositDate`) nor accounts (`ReferenceNumber`, `Rubrics`).',
    )
  }
}

/** The enterprise that accounts name themselves, without a figure: no reference tells the day of their deposit. An instance
 * names it as it was called then, so a name that is known stays. */
function namedBy({ enterprise, name }: Pick<Accounts, 'enterprise' | 'name'>): readonly Contribution[] {
  if (enterprise === null) return []
  const profile = {
    market: 'BE',
    issuerId: enterprise,
    ...(name === null ? {} : { name, nameIsFallback: true }),
    tickers: [`${enterprise}.BE`],
    registers: true,
  }
  return [{ profile, statements: [], filings: [] }]
}

function withReason(content: DocumentContent, reason: string, more: number): DocumentContent {
  return more === 0 ? content : { ...content, leftOut: { ...content.leftOut, [reason]: more } }
}

function referencesContent(
  items: readonly Readonly<Record<string, unknown>>[],
  fileName: string,
  references: References,
): DocumentContent {
  const enterprises = new Map<string, Contribution>()
  const leftOut: Record<string, number> = {}
  for (const item of items) {
    const reference = referenceOf(item, fileName)
    if (typeof reference === 'string') {
      leftOut[reference] = (leftOut[reference] ?? 0) + 1
      continue
    }
    references.add(reference)
    const { enterprise, name } = reference
    const filings = enterprises.get(enterprise)?.filings ?? []
    enterprises.set(enterprise, {
      profile: {
        market: 'BE',
        issuerId: enterprise,
        ...(name === null ? {} : { name }),
        tickers: [`${enterprise}.BE`],
        registers: true,
      },
      statements: [],
      // Of a deposit that is on file the day is compared: the later one counts.
      filings: [...filings, filingOf(reference)],
    })
  }
  const contributions = [...enterprises.values()]
  return { contributions, figuresRead: 0, malformed: 0, leftOut, isAlwaysRead: true }
}

function accountsContent(documents: readonly Accounts[], references: References): DocumentContent {
  const contributions: Contribution[] = []
  const leftOut: Record<string, number> = {}
  let malformed = 0
  let waits = false
  for (const accounts of documents) {
    const reference = references.find(accounts.reference)
    const read = reference === null ? null : readAccounts(accounts, reference, references)
    waits ||= read === null || read.lacksYear
    malformed += read?.malformed ?? 0
    for (const [reason, count] of Object.entries(read?.leftOut ?? { [noReference]: 1 })) {
      leftOut[reason] = (leftOut[reason] ?? 0) + count
    }
    if (read === null) contributions.push(...namedBy(accounts))
    else if (read.contribution !== null) contributions.push(read.contribution)
  }
  const figuresRead = documents.reduce((sum, { figures }) => sum + figures, 0)
  return { contributions, figuresRead, malformed, leftOut, ...(waits ? { waits } : {}) }
}

const noReference = 'accounts whose reference is not among the files'

function tableContent(text: string): DocumentContent {
  const { profiles, leftOut } = readTable(text)
  const contributions = profiles.map(profile => ({ profile, statements: [], filings: [] }))
  return { contributions, figuresRead: 0, malformed: 0, leftOut }
}
