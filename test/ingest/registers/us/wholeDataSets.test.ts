import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { DataSetFilings } from '../../../../src/ingest/registers/us/wholeDataSets.ts'
import { layOutStatement, shownValue } from '../../../../src/wholeFilings/layOut.ts'
import type { ReportedFigure, WholeFiling } from '../../../../src/wholeFilings/wholeFiling.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { areMissing, filingsOf, readZipFiles, recordsOf } from './packages.ts'

const compact = (day: number) => isoDate(day).replaceAll('-', '')
const conceptOf = ({ tag, version }: Record<string, string>) =>
  `${version.includes('/') ? version.split('/')[0] : 'custom'}:${tag}`
const segmentsOf = ({ context }: ReportedFigure, separators: readonly [string, string]) =>
  context.dimensions
    .filter(({ axis }) => axis !== 'coreg')
    .map(({ axis, member }) => axis + separators[0] + member + separators[1])
    .sort()
    .join('')

const timeoutMs = 120_000

describe.each([
  ['fsds/2009q3.zip', ['=', ';'] as const],
  ['fsds/2010q1.zip', ['=', ';'] as const],
  ['fsds/20250701.zip', ['/', ''] as const],
])('%s', async (path, separators) => {
  const files = await readZipFiles(path)
  if (files === null) return
  const filings = filingsOf(files)

  test(
    'every figure of num.txt, each in its filing, with its exact value',
    () => {
      const expected = recordsOf(files, 'num.txt').map(record => {
        const { adsh, ddate, qtrs, uom, segments, coreg, value } = record
        // The double is exact: no value of these sets has more than 15 digits.
        const number = value === '' ? null : Number(value)
        const inOrder =
          separators[1] === ''
            ? segments
            : segments
                .split(/(?<=;)/)
                .sort()
                .join('')
        return JSON.stringify([adsh, conceptOf(record), ddate, qtrs, uom, inOrder, coreg, number])
      })
      const read = filings.flatMap(({ accession, figures }) =>
        figures.map(figure => {
          const { concept, context, unit, value } = figure
          const coreg = context.dimensions.find(({ axis }) => axis === 'coreg')?.member ?? ''
          const segments = segmentsOf(figure, separators)
          const number = value === null ? null : Number(value)
          const period = [compact(context.end), String(context.quarters)]
          return JSON.stringify([accession, concept, ...period, unit, segments, coreg, number])
        }),
      )
      expect(nonEmpty(read)).toHaveLength(expected.length)
      expect(read.sort()).toEqual(expected.sort())
    },
    timeoutMs,
  )

  if (!files.some(({ name }) => name === 'pre.txt')) return

  test('every line of pre.txt, in order, with its label and its sign', () => {
    const expected = recordsOf(files, 'pre.txt').map(record => {
      const { adsh, report, line, stmt, inpth, plabel, negating } = record
      return JSON.stringify([adsh, report, Number(line), stmt, inpth, conceptOf(record), plabel, negating])
    })
    const read = filings.flatMap(({ accession, statements }) =>
      statements.flatMap(({ role, kind, parenthetical, lines }) => {
        expect(lines.every(({ order }, at) => at === 0 || order > lines[at - 1].order)).toBe(true)
        return lines.map(({ order, concept, label, negated }) => {
          const flags = [parenthetical ? '1' : '0', concept, label, negated ? '1' : '0']
          return JSON.stringify([accession, role, order, kind, ...flags])
        })
      }),
    )
    expect(nonEmpty(read)).toHaveLength(expected.length)
    expect(read.sort()).toEqual(expected.sort())
  })

  test(
    'every cell of a statement is the figure of its tag, period and sign',
    () => {
      const numbers = new Map<string, string>()
      for (const record of recordsOf(files, 'num.txt')) {
        const { adsh, ddate, qtrs, segments, coreg, value } = record
        if (segments === '' && coreg === '')
          numbers.set(`${adsh} ${conceptOf(record)} ${ddate} ${qtrs}`, value)
      }
      let cells = 0
      const wrong: unknown[] = []
      for (const filing of filings) {
        for (const statement of filing.statements) {
          const { rows } = layOutStatement(filing, statement)
          for (const { line, cells: ofLine } of rows) {
            for (const cell of ofLine) {
              if (cell === null || cell.context.dimensions.length > 0) continue
              const { end, quarters } = cell.context
              const stated = numbers.get(`${filing.accession} ${line.concept} ${compact(end)} ${quarters}`)
              const shown = shownValue(line, cell)
              const sign = line.negated ? -1 : 1
              const isEqual = shown === null ? stated === '' : Number(shown) === Number(stated) * sign
              if (!isEqual) wrong.push({ accession: filing.accession, line, stated, shown })
              cells++
            }
          }
        }
      }
      expect(wrong).toEqual([])
      expect(cells).toBeGreaterThan(800)
    },
    timeoutMs,
  )
})

test.skipIf(areMissing('fsds/20250701.zip'))(
  'passes over parts of the filings give the same filings',
  async () => {
    const files = await readZipFiles('fsds/20250701.zip')
    if (files === null) return
    const isEven = (accession: string) => Number(accession.slice(-1)) % 2 === 0
    const parts = [...filingsOf(files, isEven), ...filingsOf(files, accession => !isEven(accession))]
    const sorted = (all: readonly WholeFiling[]) =>
      [...all].sort((a, b) => (a.accession < b.accession ? -1 : 1))
    expect(sorted(parts)).toEqual(sorted(filingsOf(files)))
  },
)

/** Hewlett-Packard's 10-Q/A for July 2009, 0001047469-09-008166: cash at both ends of nine months. */
test.skipIf(areMissing('fsds/2009q3.zip'))(
  'cash at the beginning and at the end of a period, which have one tag',
  async () => {
    const files = await readZipFiles('fsds/2009q3.zip')
    if (files === null) return
    const filing = nonEmpty(filingsOf(files, accession => accession === '0001047469-09-008166'))[0]
    const flows = nonEmpty(filing.statements.filter(({ kind }) => kind === 'CF'))[0]
    const { columns, rows } = layOutStatement(filing, flows)
    const cash = rows.filter(({ line }) => line.concept === 'us-gaap:CashAndCashEquivalentsAtCarryingValue')
    expect(columns.map(({ period }) => [isoDate(period?.end ?? 0), period?.quarters])).toEqual([
      ['2009-07-31', 3],
      ['2008-07-31', 3],
    ])
    expect(cash.map(({ cells }) => cells.map(cell => cell?.value))).toEqual([
      ['10153000000', '11293000000'],
      ['13521000000', '14783000000'],
    ])
  },
)

describe('refuses a line', () => {
  const header = 'adsh\ttag\tversion\tddate\tqtrs\tuom\tsegments\tcoreg\tvalue'
  const figure = (changes: Readonly<Record<string, string>>) => {
    const fields: Record<string, string> = {
      adsh: '0000000001-09-000001',
      tag: 'Assets',
      version: 'us-gaap/2041',
      ddate: '20090630',
      qtrs: '0',
      uom: 'USD',
      segments: '',
      coreg: '',
      value: '1',
      ...changes,
    }
    return header
      .split('\t')
      .map(name => fields[name])
      .join('\t')
  }
  const started = () => {
    const set = new DataSetFilings()
    for (const line of ['adsh', '0000000001-09-000001']) set.readSubmission(line)
    set.readFigure(header)
    return set
  }
  const refused: [string, Record<string, string>, RegExp][] = [
    ['of an unknown filing', { adsh: '0000000001-09-000002' }, /`adsh` that `sub.txt` does not have/],
    ['without a day', { ddate: '20090631' }, /a day in `ddate`/],
    ['with half a quarter', { qtrs: '0.5' }, /whole quarters/],
    ['with a value that is no number', { value: '1,000' }, /us-gaap:Assets is not a decimal number/],
    ['of the tags of another filing', { version: '0000000001-09-000002' }, /neither a taxonomy nor/],
    ['with ten thousand dimensions', { segments: 'A=B;'.repeat(10_000) }, /more than 100 dimensions/],
    ['with a part that is no dimension', { segments: 'Axis' }, /not an axis and a member/],
  ]
  test.each(refused)('%s, and reads the next one', (_, changes, reason) => {
    const set = started()
    expect(() => set.readFigure(figure(changes))).toThrow(reason)
    set.readFigure(figure({}))
    // An unknown year of a taxonomy is read like the others.
    const [{ figures, taxonomies }] = [...set.take()]
    expect(figures.map(({ concept, value }) => [concept, value])).toEqual([['us-gaap:Assets', '1']])
    expect([...taxonomies]).toEqual([['us-gaap', 'us-gaap/2041']])
  })

  test('without the columns that it needs', () => {
    expect(() => new DataSetFilings().readFigure('adsh\ttag')).toThrow(
      /does not have the columns version, ddate/,
    )
    expect(() => new DataSetFilings().readLine('adsh\ttag')).toThrow(/does not have the columns report, line/)
  })
})
