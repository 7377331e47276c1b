import { Failure } from '../../errors.ts'
import type { Contribution } from '../../model/statement.ts'
import { decodeUtf8, parseJson } from '../reading/parseJson.ts'
import type { DocumentContent, SourceDocument } from '../register.ts'
import type { Deposit } from './deposit.ts'
import { depositsOfJson } from './depositsOfJson.ts'
import { depositsOfXml } from './depositsOfXml.ts'
import { type DepositReport, readDeposit } from './readDeposit.ts'
import { noDay, readUnitNames } from './unitNames.ts'

/** Accounts in XML or JSON, or names in a table. */
export function readDocument({ name, bytes }: SourceDocument): DocumentContent {
  if (/\.csv$/i.test(name)) return readNames(decodeUtf8(bytes))
  if (/\.xml$/i.test(name)) return readDeposits(depositsOfXml(decodeUtf8(bytes)), {})
  const found = depositsOfJson(parseJson(bytes))
  if (found === null) {
    throw new Failure(
      'body_invalid',
      'This is neither a record of accounts (`bilanSaisi`), a list of them, nor `bilansSaisis` of one company.',
    )
  }
  return readDeposits(found.deposits, {
    [noDay]: found.undated,
    'a record of accounts in an unknown shape': found.shapeless,
  })
}

function readDeposits(
  deposits: readonly Deposit[],
  already: Readonly<Record<string, number>>,
): DocumentContent {
  const leftOut: Record<string, number> = { ...already }
  const report: DepositReport = {
    malformed: 0,
    leftOut: (reason, more = 1) => {
      leftOut[reason] = (leftOut[reason] ?? 0) + more
    },
  }
  const contributions: Contribution[] = []
  let figuresRead = 0
  for (const deposit of deposits) {
    for (const { amounts } of deposit.lines) figuresRead += amounts.filter(amount => amount !== '').length
    const contribution = readDeposit(deposit, report)
    if (contribution !== null) contributions.push(contribution)
  }
  return { contributions, figuresRead, malformed: report.malformed, leftOut }
}

function readNames(table: string): DocumentContent {
  const { profiles, leftOut } = readUnitNames(table)
  const contributions = profiles.map(profile => ({ profile, statements: [], filings: [] }))
  return { contributions, figuresRead: 0, malformed: 0, leftOut }
}
