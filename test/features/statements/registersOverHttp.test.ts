import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ReportedList, ReportedRow } from '../../../src/features/statements/reportedSchema.ts'
import type { StatementAnswer } from '../../../src/features/statements/statementSchema.ts'
import { openZip, readEntry } from '../../../src/ingest/reading/archives.ts'
import { beRegister } from '../../../src/ingest/registers/be/register.ts'
import { dkRegister } from '../../../src/ingest/registers/dk/register.ts'
import { frRegister } from '../../../src/ingest/registers/fr/register.ts'
import { jpRegister } from '../../../src/ingest/registers/jp/register.ts'
import { nzRegister } from '../../../src/ingest/registers/nz/register.ts'
import { micro, microReference, reference, xerius } from '../../ingest/registers/be/documents.ts'
import { nonEmpty } from '../../nonEmpty.ts'
import { sharedPath } from '../../shared.ts'
import {
  plainNumber,
  type RawFact,
  readRawInstance,
  readRawLabels,
  readRawPresentation,
} from './rawInstance.ts'
import { registerServers, type Service } from './registerServer.ts'

/* Real files of the registers whose cells the other tests of these routes do not compare, against readers of the raw text. */

setDefaultTimeout(120_000)

const registers = sharedPath('registers')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-registers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)
const serve = registerServers()

const textOf = (path: string) => Bun.file(`${registers}/${path}`).text()
const write = async (name: string, content: string | Uint8Array) => {
  await Bun.write(join(folder, name), content)
  return join(folder, name)
}

/** The texts of a zip's files whose names match. */
async function filesIn(path: string, wanted: RegExp): Promise<Map<string, string>> {
  const zip = await openZip(path)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry())
    if (wanted.test(entry.fileName))
      files.set(entry.fileName, new TextDecoder().decode(await readEntry(zip, entry)))
  zip.close()
  return files
}

const spellRaw = ({ start, end, dimensions, unit, decimals, value }: RawFact) =>
  JSON.stringify([start, end, [...dimensions], unit, value === null ? null : decimals, value])
const spellRow = ({ start, end, dimensions, unit, decimals, value }: ReportedRow) =>
  JSON.stringify([
    start,
    end,
    [...dimensions].sort(),
    unit,
    decimals === null ? null : String(decimals),
    value,
  ])

/** The cells of a line of CSV without quoted line breaks. */
const cellsOf = (line: string) =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  )

/** The Danish taxonomy of IFRS is called after its namespace, `ifrs-dk-cor`, whatever prefix a report gives it. */
const inOurWords = (text: string): string => text.replaceAll('ifrs-dk:', 'ifrs-dk-cor:')

/** Compares every figure of a company under every tag, in JSON and in CSV. Returns the number of cells. */
async function compareFigures(
  { ask, text }: Service,
  ticker: string,
  facts: readonly RawFact[],
): Promise<number> {
  let cells = 0
  for (const [tag, stated] of Map.groupBy(nonEmpty(facts), fact => fact.tag)) {
    const path = `reported?ticker=${ticker}&tag=${encodeURIComponent(tag)}&dimensions=all&limit=2000`
    const { data, next, note } = await ask<ReportedList>(path)
    const expected = [...new Set(stated.map(spellRaw))].sort()
    expect([ticker, tag, next, note, data.map(spellRow).sort()]).toEqual([
      ticker,
      tag,
      null,
      undefined,
      expected,
    ])
    const csv = await text(`${path}&format=csv&comments=false`)
    const [head = '', ...lines] = csv.trimEnd().split(/\r?\n/)
    const at = (name: string) => cellsOf(head).indexOf(name)
    const rows = lines.map(cellsOf)
    const columns = ['start', 'end', 'dimensions', 'unit', 'decimals', 'value'] as const
    expect(rows.map(row => columns.map(name => row[at(name)]))).toEqual(
      data.map(row => [
        row.start ?? '',
        row.end,
        row.dimensions.join(' '),
        row.unit,
        `${row.decimals ?? ''}`,
        row.value ?? '',
      ]),
    )
    for (const [index, row] of rows.entries())
      if (data[index].value !== null) expect(Number(row[at('number')])).toBe(Number(data[index].value))
    cells += expected.length
  }
  return cells
}

/** Asks for a statement in one filing. Its CSV must have the same cells in the same order. */
async function askStatement(
  { ask, text }: Service,
  ticker: string,
  statement: string,
): Promise<StatementAnswer> {
  const path = `statements?ticker=${ticker}&statement=${statement}&view=as_filed`
  const answer = await ask<StatementAnswer>(path)
  const [head = '', ...lines] = (await text(`${path}&format=csv&comments=false`)).trimEnd().split(/\r?\n/)
  const at = (name: string) => cellsOf(head).indexOf(name)
  const rows = lines.map(cellsOf).filter(row => row[at('heading')] === 'false')
  expect(
    rows.map(row => ['tag', 'label', 'end', 'value', 'unit', 'shown'].map(name => row[at(name)])),
  ).toEqual(
    answer.data.flatMap(({ tag, label, period, cells }) =>
      cells.flatMap((cell, column) => {
        if (cell === null) return []
        const { end = '' } = answer.columns[column].period ?? period ?? {}
        return [[tag, label ?? '', end, cell.value ?? '', cell.unit, cell.shown ?? '']]
      }),
    ),
  )
  return answer
}

describe.skipIf(registers === null)('every figure of a real file, as the routes show it', () => {
  test('Denmark: three reports', async () => {
    const names = ['kmd', 'orsted_2019Q4', 'deloitte-ifrs']
    const texts = await Promise.all(names.map(name => textOf(`dk/xbrl/${name}.xml`)))
    const numbers = texts.map(text => /:identifier[^>]*>(\d{8})</.exec(text)?.[1] ?? '')
    const hits = names.map((name, at) => ({
      _source: {
        cvrNummer: Number(numbers[at]),
        offentliggoerelsesTidspunkt: '2020-05-01T10:00:00Z',
        dokumenter: [
          {
            dokumentType: 'AARSRAPPORT',
            dokumentMimeType: 'application/xml',
            dokumentUrl: `http://r/1/${name}.xml`,
          },
        ],
      },
    }))
    const paths = [await write('index.json', JSON.stringify(hits))]
    for (const [at, name] of names.entries()) paths.push(await write(`${name}.xml`, texts[at]))
    const service = await serve(dkRegister, paths)
    let cells = 0
    for (const [at, text] of texts.entries()) {
      cells += await compareFigures(service, `${numbers[at]}.DK`, readRawInstance(inOurWords(text)))
      const { count, note } = await service.ask<StatementAnswer>(
        `statements?ticker=${numbers[at]}.DK&statement=income`,
      )
      expect([count, note]).toEqual([0, expect.stringContaining('is on record with its statements')])
    }
    expect(cells).toBeGreaterThan(500)
  })

  test('Belgium: two deposits', async () => {
    const cases = [
      ['belgian-npo_0410682657_FY2016.xbrl', reference(), xerius],
      ['nbb-cbso_m87-micro-example.xbrl', microReference, micro],
    ] as const
    const paths = [await write('references.json', JSON.stringify(cases.map(([, known]) => known)))]
    for (const [name, known] of cases)
      paths.push(await write(`${known.ReferenceNumber}.xbrl`, await textOf(`be/${name}`)))
    const service = await serve(beRegister, paths)
    let cells = 0
    for (const [name, , number] of cases)
      cells += await compareFigures(service, `${number}.BE`, readRawInstance(await textOf(`be/${name}`)))
    expect(cells).toBeGreaterThan(380)
  })

  test('Japan: an instance', async () => {
    const name = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl'
    const bytes = gunzipSync(await Bun.file(`${registers}/jp/xbrl_instances/${name}.gz`).bytes())
    const service = await serve(jpRegister, [await write(`S100TMMG/${name}`, bytes)])
    const cells = await compareFigures(service, 'E02367', readRawInstance(new TextDecoder().decode(bytes)))
    expect(cells).toBeGreaterThan(1_000)
  })

  test('Japan: a report with its linkbases, whose instance is in the same zip', async () => {
    const path = `${registers}/jp/type1_xbrl/S100VWVY_toyota_FY2025.zip`
    const files = await filesIn(path, /PublicDoc\/jpcrp\w+[\w.-]*\.(xbrl|xml)$/)
    const find = (ending: string) => nonEmpty([...files].filter(([name]) => name.endsWith(ending)))[0][1]
    const facts = readRawInstance(find('.xbrl'))
    const service = await serve(jpRegister, [path])
    const some = [...Map.groupBy(facts, ({ tag }) => tag)]
      .filter((_, at) => at % 8 === 0)
      .flatMap(([, all]) => all)
    expect(await compareFigures(service, 'E02144', some)).toBeGreaterThan(100)
    const byTag = Map.groupBy(facts, ({ tag }) => tag)
    const labels = readRawLabels(find('_lab.xml'))
    let cells = 0
    let labelled = 0
    for (const [statement, role] of [
      ['balance', /rol_ConsolidatedStatementOfFinancialPositionIFRS$/],
      ['income', /rol_ConsolidatedStatementOfProfitOrLossIFRS$/],
      ['cash_flow', /rol_ConsolidatedStatementOfCashFlowsIFRS$/],
    ] as const) {
      const answer = await askStatement(service, 'E02144', statement)
      const order = readRawPresentation(find('_pre.xml'), role)
      const own = answer.data.filter(({ dimensions }) => dimensions.length === 0)
      // The lines of the answer in the order of the linkbase: each is found after the one before it.
      let at = -1
      for (const { tag } of nonEmpty(own)) {
        at = order.findIndex((each, index) => index > at && each.tag === tag)
        expect([statement, tag, at >= 0]).toEqual([statement, tag, true])
        const label = labels.get(`${tag} ${order[at].labelRole}`)
        const line = own.find(each => each.tag === tag)
        if (label === undefined || own.filter(each => each.tag === tag).length > 1) continue
        expect([tag, line?.label]).toEqual([tag, label])
        labelled++
      }
      for (const { tag, cells: shown, dimensions: ofLine } of answer.data)
        for (const [column, cell] of shown.entries()) {
          if (cell === null) continue
          const { period, dimensions } = answer.columns[column]
          const members = [...ofLine, ...dimensions].map(({ axis, member }) => `${axis}=${member}`).sort()
          const stated = (byTag.get(tag) ?? []).filter(
            fact =>
              fact.value === cell.value &&
              fact.unit === cell.unit &&
              fact.dimensions.join() === members.join(),
          )
          const isStated = stated.some(
            fact => fact.end === period?.end || (fact.start === null && statement === 'cash_flow'),
          )
          expect([statement, tag, column, isStated]).toEqual([statement, tag, column, true])
          cells++
        }
      // Every figure of the latest period under a line of the group's statement is shown.
      const latest = answer.columns[0].period
      for (const { tag } of order) {
        const figure = (byTag.get(tag) ?? []).find(
          ({ start, end, dimensions }) =>
            dimensions.length === 0 && end === latest?.end && start === latest.start,
        )
        if (figure === undefined) continue
        const values = own.filter(each => each.tag === tag).map(({ cells: shown }) => shown[0]?.value)
        expect([statement, tag, values]).toEqual([statement, tag, expect.arrayContaining([figure.value])])
      }
    }
    expect([cells > 150, labelled > 20]).toEqual([true, true])
  })

  test('New Zealand: the returns of a charity', async () => {
    const name = 'TestFinancialCharityData.json'
    const text = await textOf(`nz/${name}`)
    const service = await serve(nzRegister, [await write(name, text)])
    const rows: Record<string, string | number | null>[] = JSON.parse(text).d
    const isBalance = (field: string) =>
      /Assets|Liabilities|Equity|^CashAndBank|^Buildings|^Inventory|^Investments|^Receivables|^Property/.test(
        field,
      )
    const isCount = (field: string) => /^(AvgNo|NumberOf)/.test(field)
    const currencies = new Set(rows.map(row => row.ReportingCurrency))
    expect(currencies).toEqual(new Set(['AUD', null]))
    const facts = nonEmpty(rows).flatMap(row =>
      Object.entries(row).flatMap(([tag, value]): RawFact[] => {
        if (typeof value !== 'number' || /^EndOfYear/.test(tag)) return []
        const end = String(row.YearEnded).slice(0, 10)
        const year = Number(end.slice(0, 4))
        // All of its years end in June.
        expect(end.slice(4)).toBe('-06-30')
        const currency = row.ReportingCurrency === 'AUD' ? 'AUD' : 'unstated currency'
        const unit = tag.startsWith('Percentage')
          ? 'percent'
          : /Hours/.test(tag)
            ? 'hours'
            : isCount(tag)
              ? 'people'
              : currency
        const start = isBalance(tag) ? null : `${year - 1}-07-01`
        return [{ tag, start, end, dimensions: [], unit, decimals: null, value: plainNumber(String(value)) }]
      }),
    )
    expect(await compareFigures(service, 'CC40675', facts)).toBe(440)
  })

  test('France: two deposits', async () => {
    const xml = await textOf(
      'fr/inpi_xml_bundles/comptes/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml',
    )
    const json = await textOf('fr/inpi_bilan_saisi_official_example.json')
    const service = await serve(frRegister, [
      await write('deposit.xml', xml),
      await write('deposit.json', json),
    ])
    const ofXml = [...xml.matchAll(/<page numero="(\d+)">([\s\S]*?)<\/page>/g)].map(([, number, body]) => ({
      page: Number(number),
      lines: [...body.matchAll(/<liasse code="(\w+)"([^>]*)\/>/g)].map(([, code, columns]) => ({
        code,
        amounts: [1, 2, 3, 4].map(at => new RegExp(`m${at}="([^"]+)"`).exec(columns)?.[1] ?? ''),
      })),
    }))
    const pages: { numero: number; liasses: Record<string, string>[] }[] =
      JSON.parse(json).bilanSaisi.bilan.detail.pages
    const ofJson = pages.map(({ numero, liasses }) => ({
      page: numero,
      lines: liasses.map(({ code, m1, m2, m3, m4 }) => ({ code, amounts: [m1, m2, m3, m4] })),
    }))
    for (const [number, year, content] of [
      ['483935326', 2015, ofXml],
      ['377708425', 2021, ofJson],
    ] as const) {
      const facts = content.flatMap(({ page, lines }) =>
        lines.flatMap(({ code, amounts }) =>
          amounts.flatMap((amount, at) =>
            amount === '' ? [] : [depositedFact(page, code, at, amount, year)],
          ),
        ),
      )
      expect(await compareFigures(service, `${number}.FR`, facts)).toBe(facts.length)
      for (const [statement, pagesOf] of [
        ['balance', [1, 2]],
        ['income', [3, 4]],
      ] as const) {
        const answer = await askStatement(service, `${number}.FR`, statement)
        const onPages = content.filter(({ page }) => pagesOf.some(each => each === page))
        const stated = onPages.flatMap(({ page, lines }) =>
          lines.map(({ code, amounts }) => ({
            tag: `C:${code}`,
            cells: (page % 2 === 1 ? [amounts[2], amounts[3]] : [amounts[0], amounts[1]]).map(text =>
              text === '' ? null : plainNumber(text),
            ),
          })),
        )
        // The second deposit states no prior year.
        const years = [0, 1].filter(at => stated.some(({ cells }) => cells[at] !== null))
        expect(answer.columns.map(({ period }) => period?.end)).toEqual(years.map(at => `${year - at}-12-31`))
        const shown = answer.data.filter(({ dimensions }) => dimensions.length === 0)
        expect(
          shown.map(({ tag, cells }) => ({ tag, cells: cells.map(cell => cell?.value ?? null) })),
        ).toEqual(
          stated
            .filter(({ cells }) => cells.some(cell => cell !== null))
            .map(({ tag, cells }) => ({ tag, cells: years.map(at => cells[at]) })),
        )
        // A line with nothing but gross amounts shows these, below the others.
        const others = answer.data.filter(({ dimensions }) => dimensions.length > 0).map(({ tag }) => tag)
        expect(new Set(others)).toEqual(
          new Set(stated.filter(({ cells }) => cells.every(cell => cell === null)).map(({ tag }) => tag)),
        )
      }
    }
  })
})

/**
 * An amount of a French deposit. The official forms: 2050 (page 1) has gross, depreciation, net and the net of the prior
 * year; 2051 (page 2) and 2053 (page 4) the year and the prior one; 2052 (page 3) France, export, total and the prior year.
 */
function depositedFact(page: number, code: string, column: number, amount: string, year: number): RawFact {
  const [ofYear, ofPrior] = page === 1 || page === 3 ? [2, 3] : page === 2 || page === 4 ? [0, 1] : [-1, -1]
  const ending = column === ofPrior ? year - 1 : year
  return {
    tag: `${page <= 4 ? 'C' : `C${page}`}:${code}`,
    start: page === 3 || page === 4 ? `${ending}-01-01` : null,
    end: `${ending}-12-31`,
    dimensions: column === ofYear || column === ofPrior ? [] : [`liasse:column=m${column + 1}`],
    unit: page <= 4 ? 'EUR' : '',
    decimals: null,
    value: plainNumber(amount),
  }
}
