import { Failure } from '../../../errors.ts'
import type { Contribution } from '../../../facts/reportedFact.ts'
import { decodeUtf8 } from '../../reading/json.ts'
import { jsonElements } from '../../reading/jsonElements.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import type { Deposit } from './deposit.ts'
import { depositsOfXml, recordsOfJson } from './depositForms.ts'
import { type DepositReport, readDeposit } from './figures.ts'
import { noDay, readUnitNames } from './names.ts'

/** Accounts in XML or JSON, or names in a table. */
export function readDocument({ name, bytes }: SourceDocument): DocumentContent {
  if (/\.csv$/i.test(name)) return readNames(decodeUtf8(bytes))
  if (/\.xml$/i.test(name)) return readXml(decodeUtf8(bytes))
  const content = new Content()
  let foreign = 0
  for (const element of jsonElements(bytes)) {
    for (const record of recordsOfJson(element)) {
      if (record === null) foreign++
      else if (record === 'shapeless') content.report.leftOut(unknownShape)
      else if ('undated' in record) content.report.leftOut(noDay, record.undated)
      else content.add(record)
    }
  }
  if (content.isEmpty) {
    throw new Failure(
      'body_invalid',
      'This is neither a record of accounts (`bilanSaisi`), a list of them, nor `bilansSaisis` of one company.',
    )
  }
  if (foreign > 0) content.report.leftOut(unknownShape, foreign)
  return content.content
}

const unknownShape = 'a record of accounts in an unknown shape'

function readXml(text: string): DocumentContent {
  const content = new Content()
  for (const deposit of depositsOfXml(text)) content.add(deposit)
  return content.content
}

/** What the deposits of a document say, one after another. */
class Content {
  readonly #contributions: Contribution[] = []
  readonly #leftOut: Record<string, number> = {}
  #figuresRead = 0
  readonly report: DepositReport = {
    malformed: 0,
    leftOut: (reason, more = 1) => {
      this.#leftOut[reason] = (this.#leftOut[reason] ?? 0) + more
    },
  }

  add(deposit: Deposit): void {
    for (const { amounts } of deposit.lines) {
      this.#figuresRead += amounts.filter(amount => amount !== '').length
    }
    const contribution = readDeposit(deposit, this.report)
    if (contribution !== null) this.#contributions.push(contribution)
  }

  get isEmpty(): boolean {
    return this.#contributions.length === 0 && Object.keys(this.#leftOut).length === 0
  }

  get content(): DocumentContent {
    return {
      contributions: this.#contributions,
      figuresRead: this.#figuresRead,
      malformed: this.report.malformed,
      leftOut: this.#leftOut,
    }
  }
}

function readNames(table: string): DocumentContent {
  const { profiles, leftOut } = readUnitNames(table)
  const contributions = profiles.map(profile => ({ profile, statements: [], filings: [] }))
  return { contributions, figuresRead: 0, malformed: 0, leftOut }
}
