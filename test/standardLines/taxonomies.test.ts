import { describe, expect, test } from 'bun:test'
import { standardStatements } from '../../src/standardLines/definition.ts'
import { linesFor } from '../../src/standardLines/standardLines.ts'
import { schemaRole, taxonomies, taxonomyOf } from '../../src/standardLines/taxonomies/taxonomies.ts'
import { nameOfLabel, readTable } from '../../src/standardLines/taxonomies/taxonomy.ts'
import type { StatementLine } from '../../src/wholeFilings/wholeFiling.ts'
import { nonEmpty } from '../nonEmpty.ts'

const kinds = ['industrial', 'bank', 'insurer', 'reit', 'utility'] as const

describe.each(Object.entries(taxonomies))('the schema of %s', (_, { statements }) => {
  test('names only standard lines of the same statement', () => {
    let tags = 0
    for (const statement of standardStatements) {
      const names = new Set(kinds.flatMap(kind => linesFor(statement, kind).map(({ name }) => name)))
      for (const [tag, meanings] of statements[statement].meanings)
        for (const { line } of meanings) {
          tags++
          expect([statement, tag, line === null || names.has(line) ? true : line]).toEqual([
            statement,
            tag,
            true,
          ])
        }
    }
    expect(tags).toBeGreaterThan(50)
  })

  test('gives no tag two meanings in one place', () => {
    for (const statement of standardStatements)
      for (const [tag, meanings] of statements[statement].meanings) {
        const places = meanings.map(({ section, beside }) => `${section} ${beside}`)
        expect([tag, places.length - new Set(places).size]).toEqual([tag, 0])
      }
  })

  test('adds up only tags that it defines', () => {
    const sums = standardStatements.flatMap(statement =>
      statements[statement].sums.flatMap(({ total, items }) =>
        [total, ...items.map(({ concept }) => concept)].map(tag => ({ statement, tag })),
      ),
    )
    for (const { statement, tag } of nonEmpty(sums))
      expect([tag, statements[statement].meanings.has(tag)]).toEqual([tag, true])
  })
})

test('a table has alternatives, sums, signs and places', () => {
  const { meanings, sums } = readTable(
    `
    inventory       Raw + Goods | Inventories
    treasury_stock  -Treasury
    payables        x:Payable@current_liabilities
    .               Other&goodwill

    Assets = Current + Noncurrent - x:Less
    `,
    { '': 'a', x: 'b' },
  )
  const plain = { line: 'inventory', group: 0, adds: true, isNegated: false, section: null, beside: null }
  expect(Object.fromEntries(meanings)).toEqual({
    'a:Raw': [plain],
    'a:Goods': [plain],
    'a:Inventories': [{ ...plain, group: 1, adds: false }],
    'a:Treasury': [{ ...plain, line: 'treasury_stock', adds: false, isNegated: true }],
    'b:Payable': [{ ...plain, line: 'payables', adds: false, section: 'current_liabilities' }],
    'a:Other': [{ ...plain, line: null, adds: false, beside: 'goodwill' }],
  })
  expect(sums).toEqual([
    {
      total: 'a:Assets',
      items: [
        { concept: 'a:Current', weight: 1 },
        { concept: 'a:Noncurrent', weight: 1 },
        { concept: 'b:Less', weight: -1 },
      ],
    },
  ])
})

test('a label is compared without its number, its notes and its spaces', () => {
  expect(
    ['Ⅰ. 매출채권 (주4,5)', '당기순이익(손실)', '투자활동으로 인한 현금유출액:'].map(nameOfLabel),
  ).toEqual(['매출채권', '당기순이익', '투자활동으로인한현금유출액'])
})

test('the taxonomy of a statement is told by its role, its tags or its labels, and American ones have none', () => {
  const line = (concept: string, label: string | null = null): StatementLine => ({
    order: 1,
    concept,
    depth: null,
    label,
    labelRole: null,
    negated: false,
  })
  const of = (role: string, ...lines: readonly StatementLine[]) => taxonomyOf({ role, lines })
  expect(of('r', line('us-gaap:Assets'))).toBeNull()
  expect(of('r', line('ifrs-full:Assets', 'Total assets'))).toBeNull()
  expect(of('r', line('ifrs-full:Assets', '자산총계'))).toBe(taxonomies.KR)
  expect(of('r', line('jpigp_cor:AssetsIFRS'))).toBe(taxonomies.JP)
  expect(of(schemaRole('DK', 'balance'), line('ifrs-full:Assets'))).toBe(taxonomies.DK)
})
