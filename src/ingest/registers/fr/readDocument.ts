import { Failure } from '../../../errors.ts'
import type { ParsedDocument } from '../../../facts/reportedFact.ts'
import type { StatedFiling } from '../../../wholeFilings/statedFiling.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import { jsonElements } from '../../reading/jsonElements.ts'
import { type DocumentContent, type SourceDocument, Tally } from '../registerInterface.ts'
import { type Deposit, parseJsonRecords, parseXmlDeposits } from './deposits.ts'
import { contentOfDeposit } from './figures.ts'
import { readNames, undatedRow } from './names.ts'

/** Reads accounts in XML or JSON, or names in a table. */
export function readFrenchReport({ name, bytes }: SourceDocument): DocumentContent {
  if (/\.csv$/i.test(name)) return readNames(decodeUtf8(bytes))
  return /\.xml$/i.test(name) ? readXml(decodeUtf8(bytes)) : readJson(bytes)
}

function readXml(text: string): DocumentContent {
  const accounts = new Accounts()
  for (const deposit of parseXmlDeposits(text)) accounts.add(deposit)
  return accounts.content
}

const unknownShape = 'a record of accounts in an unknown shape'

/** Reads element by element: the register's own files of all accounts do not fit into memory as a whole. */
function readJson(bytes: Uint8Array): DocumentContent {
  const accounts = new Accounts()
  let foreign = 0
  for (const element of jsonElements(bytes)) {
    for (const record of parseJsonRecords(element)) {
      if (record === null) foreign++
      else if (record === 'shapeless') accounts.tally.leftOut.add(unknownShape)
      else if ('undated' in record) accounts.tally.leftOut.add(undatedRow, record.undated)
      else accounts.add(record)
    }
  }
  if (accounts.isEmpty) {
    throw new Failure(
      'body_invalid',
      'This is neither a record of accounts (`bilanSaisi`), a list of them, nor `bilansSaisis` of one company.',
    )
  }
  accounts.tally.leftOut.add(unknownShape, foreign)
  return accounts.content
}

/** Collects the content of a document's deposits. */
class Accounts {
  readonly tally = new Tally()
  readonly #parsed: ParsedDocument[] = []
  readonly #wholeFilings: StatedFiling[] = []
  #figuresRead = 0

  add(deposit: Deposit): void {
    for (const { amounts } of deposit.lines)
      this.#figuresRead += amounts.filter(amount => amount !== '').length
    const content = contentOfDeposit(deposit, this.tally)
    if (content === null) return
    this.#parsed.push(content.parsed)
    this.#wholeFilings.push(content.whole)
  }

  get isEmpty(): boolean {
    const { leftOut, faults } = this.tally
    return this.#parsed.length === 0 && faults.count === 0 && Object.keys(leftOut.counts).length === 0
  }

  get content(): DocumentContent {
    return {
      parsed: this.#parsed,
      wholeFilings: this.#wholeFilings,
      figuresRead: this.#figuresRead,
      ...this.tally.counts,
    }
  }
}
