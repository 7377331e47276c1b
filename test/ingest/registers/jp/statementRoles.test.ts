import { expect, test } from 'bun:test'
import { readPresentations } from '../../../../src/ingest/registers/jp/wholeReport.ts'
import { Tally } from '../../../../src/ingest/registers/registerInterface.ts'
import { chooseStatement } from '../../../../src/wholeFilings/kindOfStatement.ts'

/** A presentation of a heading with two lines under each role. */
const linkbaseOf = (roles: Readonly<Record<string, string>>) => `
  <linkbase xmlns="http://www.xbrl.org/2003/linkbase" xmlns:xlink="http://www.w3.org/1999/xlink">
    ${Object.entries(roles)
      .map(
        ([role, tag]) => `
          <presentationLink xlink:role="http://disclosure.edinet-fsa.go.jp/role/${role}">
            ${['Heading', tag, 'Other'].map(name => `<loc xlink:label="${name}" xlink:href="x.xsd#t_${name}"/>`).join('')}
            ${[tag, 'Other'].map((name, at) => `<presentationArc xlink:arcrole="p" xlink:from="Heading" xlink:to="${name}" order="${at + 1}"/>`).join('')}
          </presentationLink>`,
      )
      .join('')}
  </linkbase>`

const read = (roles: Readonly<Record<string, string>>) => {
  const presentations = readPresentations([{ name: 'pre.xml', text: linkbaseOf(roles) }], new Tally())
  return presentations?.statements ?? []
}

test('condensed statements and those of the standard layout are recognised by their roles', () => {
  const statements = read({
    'jpigp/rol_CondensedSemiAnnualConsolidatedStatementOfFinancialPositionIFRS': 'A',
    'jpigp/rol_CondensedQuarterlyConsolidatedStatementOfComprehensiveIncomeSingleStatementIFRS': 'B',
    'jpigp/rol_CondensedYearToQuarterEndConsolidatedStatementOfProfitOrLossIFRS': 'C',
    'jpigp/rol_CondensedQuarterlyStatementOfChangesInEquityIFRS': 'D',
    'jppfs/rol_std_ConsolidatedStatementOfCashFlows-indirect': 'E',
    'jppfs/rol_std_Type1SemiAnnualConsolidatedBalanceSheet': 'F',
    // Of three months, beside that of the year to date.
    'jpigp/rol_CondensedQuarterPeriodConsolidatedStatementOfProfitOrLossIFRS': 'G',
    'jpcrp/rol_NotesConsolidatedBalanceSheet': 'H',
  })
  expect(statements.map(({ kind }) => kind)).toEqual(['BS', 'CI', 'IS', 'EQ', 'CF', 'BS', null, null])
})

test('the condensed statement of the group comes before a statement of the company alone', () => {
  const statements = read({
    'jpigp/rol_CondensedSemiAnnualConsolidatedStatementOfFinancialPositionIFRS': 'Group',
    'jppfs/rol_SemiAnnualBalanceSheet': 'Alone',
  })
  const chosen = chooseStatement({ statements }, 'BS')
  expect(chosen?.statement.role).toEndWith(
    'rol_CondensedSemiAnnualConsolidatedStatementOfFinancialPositionIFRS',
  )
})
