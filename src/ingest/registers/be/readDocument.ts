import { Failure } from '../../../errors.ts'
import type { ParsedDocument } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { isRecord } from '../../reading/fields.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import { jsonElements } from '../../reading/jsonElements.ts'
import { NamedFaults } from '../../reading/namedFaults.ts'
import { type DocumentContent, LeftOut, type SourceDocument } from '../registerInterface.ts'
import { type Accounts, parseJsonAccounts, parseXbrlAccounts } from './accounts.ts'
import { profileOf, readNames } from './enterprises.ts'
import { factsOfAccounts } from './figures.ts'
import { References, readReferences } from './references.ts'

/** Reads one document without the others of its import. */
export const readBelgianReport = (document: SourceDocument): DocumentContent => createReader()(document)

/**
 * Creates the reader of one import. Accounts state neither their enterprise nor their deposit date: both are
 * in references, which may be in other files and arrive later.
 */
export function createReader(): (document: SourceDocument) => DocumentContent {
  const references = new References()
  return ({ name, bytes }) => {
    if (/\.csv$/i.test(name)) return readNames(decodeUtf8(bytes))
    if (/\.(xbrl|xml)$/i.test(name)) return readXbrlAccounts(decodeUtf8(bytes), name, references)
    const items = [...jsonElements(bytes)]
    if (items.every(item => isRecord(item) && 'Rubrics' in item) && items.length > 0)
      return readJsonAccounts(items.filter(isRecord), references)
    if (items.every(item => isRecord(item) && 'DepositDate' in item))
      return readReferences(items.filter(isRecord), name, references)
    throw new Failure(
      'body_invalid',
      'This is neither a list of references (`ReferenceNumber`, `DepositDate`) nor a set of accounts (`ReferenceNumber`, `Rubrics`).',
    )
  }
}

function readXbrlAccounts(text: string, fileName: string, references: References): DocumentContent {
  const { reference, ...accounts } = parseXbrlAccounts(text, fileName)
  const leftOut = new LeftOut()
  if (reference !== null) return readAccounts([{ ...accounts, reference }], references, leftOut)
  leftOut.add('an XBRL instance without a reference number in its file name')
  return {
    parsed: namedBy(accounts),
    figuresRead: accounts.figures,
    malformed: 0,
    leftOut: leftOut.counts,
  }
}

function readJsonAccounts(
  items: readonly Readonly<Record<string, unknown>>[],
  references: References,
): DocumentContent {
  const leftOut = new LeftOut()
  const accounts = items.map(parseJsonAccounts).filter(one => one !== null)
  const content = readAccounts(accounts, references, leftOut)
  leftOut.add('accounts without a reference number', items.length - accounts.length)
  return content
}

function readAccounts(
  documents: readonly Accounts[],
  references: References,
  leftOut: LeftOut,
): DocumentContent {
  const parsed: ParsedDocument[] = []
  const wholeFilings: StatedFiling[] = []
  const faults = new NamedFaults()
  let waits = false
  for (const accounts of documents) {
    const reference = references.find(accounts.reference)
    if (reference === null) {
      waits = true
      leftOut.add('accounts whose reference is not among the files')
      parsed.push(...namedBy(accounts))
      continue
    }
    const facts = factsOfAccounts(accounts, reference, references, leftOut)
    waits ||= facts.lacksYear
    faults.addAll(facts.faults)
    if (facts.parsed !== null) parsed.push(facts.parsed)
    if (facts.whole !== null) wholeFilings.push(facts.whole)
  }
  const figuresRead = documents.reduce((sum, { figures }) => sum + figures, 0)
  const read = {
    parsed,
    wholeFilings,
    figuresRead,
    malformed: faults.count,
    faults,
    leftOut: leftOut.counts,
  }
  return waits ? { ...read, waits } : read
}

/**
 * The enterprise that accounts name themselves, without figures, because no reference states their deposit
 * date. XBRL accounts contain the name of their time, so it does not replace a name on record.
 */
function namedBy({ enterprise, name }: Pick<Accounts, 'enterprise' | 'name'>): readonly ParsedDocument[] {
  if (enterprise === null) return []
  return [{ profile: profileOf(enterprise, name, true), reportedFacts: [], filings: [] }]
}
