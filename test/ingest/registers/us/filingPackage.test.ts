import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { isoDate } from '../../../../src/dates.ts'
import { readFilingPackage } from '../../../../src/ingest/registers/us/filingPackage.ts'
import { layOutStatement, shownValue } from '../../../../src/wholeFilings/layOut.ts'
import { nonEmpty } from '../../../nonEmpty.ts'
import { sharedPath } from '../../../shared.ts'
import { areMissing, packageNames, readZipFiles } from './packages.ts'
import { dayOfPage, decoded, type PageRow, rowsOfPage } from './rendering.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('real filings', () => {
  const lacksPackages = areMissing(...packageNames.map(name => `filings/${name}`))

  test.skipIf(lacksPackages).each(packageNames)(
    '%s: every numeric fact of the source is a figure',
    async name => {
      const files = await readZipFiles(`filings/${name}`)
      if (files === null) return
      const { filing, faults, missing } = readFilingPackage('0', files)
      // Counted without a parser: only facts have these attributes.
      const count = files
        .filter(file => /\.(htm|xml)$/.test(file.name) && !/_(pre|cal|lab|def)\.xml$/.test(file.name))
        .reduce((sum, { bytes }) => sum + (text(bytes).match(/\sunitRef="/g)?.length ?? 0), 0)
      expect(count).toBeGreaterThan(300)
      expect(filing.figures).toHaveLength(count)
      expect([faults.named, missing]).toEqual([[], []])
      const unlabelled = filing.statements.flatMap(({ lines }) => lines).filter(({ label }) => label === null)
      expect(unlabelled).toEqual([])
    },
  )

  test.skipIf(lacksPackages)('depths, orders and sums are those of the linkbases', async () => {
    for (const name of packageNames) {
      const files = await readZipFiles(`filings/${name}`)
      if (files === null) return
      const { filing } = readFilingPackage('0', files)
      const linkbase = (end: string) => text(nonEmpty(files.filter(file => file.name.endsWith(end)))[0].bytes)
      const arcs = arcsOf(linkbase('_pre.xml'))
      for (const { role, lines } of nonEmpty(filing.statements)) {
        const ofRole = nonEmpty(arcs.filter(arc => arc.role === role))
        // Each arc leads to one line, and one line has no arc: the root.
        const roots = new Set(ofRole.map(arc => arc.from))
        for (const { to } of ofRole) roots.delete(to)
        expect(lines).toHaveLength(ofRole.length + roots.size)
        const path: string[] = []
        lines.forEach(({ concept, depth, labelRole }) => {
          path.length = depth ?? 0
          const parent = path.at(-1)
          path.push(concept)
          if (parent === undefined) expect(roots.has(concept)).toBe(true)
          else
            expect(ofRole).toContainEqual(expect.objectContaining({ from: parent, to: concept, labelRole }))
        })
        for (const root of roots) expect(siblingsAscend(lines, ofRole, root)).toBe(true)
      }
      const sums = arcsOf(linkbase('_cal.xml'))
      expect(filing.sums.reduce((sum, { items }) => sum + items.length, 0)).toBe(sums.length)
      for (const { role, total, items } of filing.sums)
        for (const { concept, weight } of items)
          expect(sums).toContainEqual(expect.objectContaining({ role, from: total, to: concept, weight }))
    }
  })

  /** Microsoft's 10-K for 2015, 0001193125-15-272806: revenue of 93,580 million, and by product in note 21. */
  test.skipIf(lacksPackages)(
    'figures with dimensions have the axes and members of their contexts',
    async () => {
      const files = await readZipFiles('filings/msft-10k_2015.zip')
      if (files === null) return
      const { figures } = readFilingPackage('0', files).filing
      const revenue = figures.filter(
        ({ concept, context: { start, end } }) =>
          concept === 'us-gaap:SalesRevenueNet' && isoDate(end) === '2015-06-30' && start === end - 364,
      )
      const total = revenue.filter(({ context }) => context.dimensions.length === 0)
      expect(new Set(total.map(({ value, decimals, unit }) => `${value} ${decimals} ${unit}`))).toEqual(
        new Set(['93580000000 -6 USD']),
      )
      const inAmerica = revenue.filter(
        ({ context: { dimensions } }) => dimensions.length === 1 && dimensions[0].member === 'country:US',
      )
      expect(inAmerica.map(({ value }) => value)).toEqual(['42941000000'])
    },
  )
})

interface LinkbaseArc {
  readonly role: string
  readonly from: string
  readonly to: string
  readonly order: number
  readonly weight: number
  readonly labelRole: string | null
}

/** The arcs of a linkbase, read with regular expressions. */
function arcsOf(xml: string): LinkbaseArc[] {
  const attribute = (tag: string, name: string) =>
    new RegExp(`\\s(?:xlink:)?${name}="([^"]*)"`).exec(tag)?.[1]
  const links = [
    ...xml.matchAll(/<(?:\w+:)?(?:presentation|calculation)Link\s([^>]*)(?<!\/)>(.*?)<\/(?:\w+:)?\w+Link>/gs),
  ]
  return links.flatMap(([, head, body]) => {
    const concepts = new Map(
      [...body.matchAll(/<(?:\w+:)?loc\s[^>]*>/g)].map(([tag]) => [
        attribute(tag, 'label'),
        attribute(tag, 'href')?.split('#')[1].replace('_', ':') ?? '',
      ]),
    )
    return [...body.matchAll(/<(?:\w+:)?\w+Arc\s[^>]*>/g)].map(([tag]) => ({
      role: attribute(` ${head}`, 'role') ?? '',
      from: concepts.get(attribute(tag, 'from')) ?? '',
      to: concepts.get(attribute(tag, 'to')) ?? '',
      order: Number(attribute(tag, 'order')),
      weight: Number(attribute(tag, 'weight') ?? 1),
      labelRole: attribute(tag, 'preferredLabel') ?? null,
    }))
  })
}

function siblingsAscend(
  lines: readonly {
    readonly concept: string
    readonly depth: number | null
    readonly labelRole: string | null
  }[],
  arcs: readonly LinkbaseArc[],
  root: string,
): boolean {
  const at = lines.findIndex(({ concept, depth }) => concept === root && depth === 0)
  const orders = lines
    .slice(at + 1, lines.findIndex(({ depth }, index) => index > at && depth === 0) >>> 0)
    .filter(({ depth }) => depth === 1)
    .map(line =>
      arcs.find(arc => arc.from === root && arc.to === line.concept && arc.labelRole === line.labelRole),
    )
    .map(arc => arc?.order ?? Number.NaN)
  return orders.every((order, index) => index === 0 || order >= orders[index - 1])
}

/* Apple's 10-Q of 2025-05-02 as the SEC's own renderer shows it. */
describe('the rendering of 0000320193-25-000057', async () => {
  const folder = sharedPath('registers/us/filings/0000320193-25-000057-rendered')
  const files = await readZipFiles('filings/0000320193-25-000057-xbrl.zip')
  if (folder === null || files === null) return
  const { filing } = readFilingPackage('0000320193-25-000057', files)
  const sheets = await sheetsOf(
    nonEmpty(await readZipFiles('filings/0000320193-25-000057-rendered/Financial_Report.xlsx')),
  )
  const statementOf = (title: string) =>
    nonEmpty(
      filing.statements.filter(
        statement => statement.title?.replace(/^\d+ - \w+ - /, '') === title.split(' - USD')[0],
      ),
    )[0]

  test.each([
    ['R2', 2],
    ['R3', 3],
    ['R4', 4],
    ['R7', 7],
  ])('%s: every cell, label, order and sign', (name, sheet) => {
    const shown = rowsOfPage(readFileSync(`${folder}/${name}.htm`, 'utf8'))
    const heads = shown.rows.filter(({ isHead }) => isHead)
    const body = shown.rows.filter(({ isHead }) => !isHead)
    const { columns, rows } = layOutStatement(filing, statementOf(shown.title))
    const days = nonEmpty(heads.at(-1)?.cells.filter(cell => /\d{4}$/.test(cell)))
    expect(columns.map(({ period }) => dayOfPage(period?.end ?? 0))).toEqual([...days])
    const statement = statementOf(shown.title)
    const ours = withoutFirstHeadings(
      rows.map(row => ({
        isHeading: row.cells.length === 0,
        isAboveTable: statement.lines.some(
          ({ concept, order }) => /LineItems$/.test(concept) && order > row.line.order,
        ),
        label: row.line.label ?? '',
        member: row.dimensions.map(({ member }) => member).join(),
        cells: columns.map((_, at) => shownOnPage(row.line, row.cells[at] ?? null, shown.title)),
      })),
    )
    const theirs = body.filter(({ concept }) => !concept.includes('='))
    expect(ours.map(({ label, cells }) => [label, ...cells])).toEqual(
      theirs.map(({ cells: [label, ...cells] }) => [label, ...cells.map(cell => cell.replace(/^\$ /, ''))]),
    )
    const members = body
      .filter(({ concept }) => concept.includes('='))
      .map(({ concept }) => concept.split('=')[1])
    const presented = [...new Set(ours.map(({ member }) => member))].filter(member => member !== '')
    expect(presented).toEqual(members.map(member => member.replace('_', ':')))
    expectSheet(sheets, sheet, body)
  })

  test('R6, the statement of equity: every cell, label, order and sign of the rows with figures', () => {
    const shown = rowsOfPage(readFileSync(`${folder}/R6.htm`, 'utf8'))
    const { columns, rows } = layOutStatement(filing, statementOf(shown.title))
    const labels = new Map(
      filing.statements.flatMap(({ lines }) => lines).map(({ concept, label }) => [concept, label]),
    )
    const heads = columns.map(({ dimensions }) =>
      dimensions.length === 0 ? 'Total' : labels.get(dimensions[0].member),
    )
    expect([shown.title, ...heads]).toEqual([...shown.rows[0].cells])
    const ours = rows
      .filter(({ cells }) => cells.length > 0)
      .map(({ line, cells, period }) => {
        const role = line.labelRole ?? ''
        const day = /periodStart/.test(role) ? (period?.start ?? 0) - 1 : period?.end
        const at = /period(Start|End)Label$/.test(role) ? ` at ${dayOfPage(day ?? 0)}` : ''
        return [`${line.label}${at}`, ...cells.map(cell => shownOnPage(line, cell, shown.title))]
      })
    // The renderer repeats the heading of the table between its rows.
    const theirs = shown.rows.slice(1).filter(({ concept }) => !/RollForward$/.test(concept))
    expect(ours).toEqual(theirs.map(({ cells }) => cells.map(cell => cell.replace(/^\$ /, ''))))
    expectSheet(sheets, 6, shown.rows.slice(1))
  })
})

/** The figure as the renderer writes it: in the scale that the title names, negative ones in parentheses. */
function shownOnPage(
  line: Parameters<typeof shownValue>[0],
  figure: Parameters<typeof shownValue>[1] | null,
  title: string,
): string {
  const value = figure === null ? null : shownValue(line, figure)
  if (figure === null || value === null) return ''
  const scaleOf = (name: string) =>
    /Millions/.test(title.match(new RegExp(`${name} in \\w+`))?.[0] ?? '')
      ? 1e6
      : /Thousands/.test(title.match(new RegExp(`${name} in \\w+`))?.[0] ?? '')
        ? 1e3
        : 1
  const scale = figure.unit === 'USD' ? scaleOf('\\$') : figure.unit === 'shares' ? scaleOf('shares') : 1
  const isPerShare = figure.unit === 'USD/shares'
  const number = Math.abs(Number(value)) / scale
  const plain = number.toLocaleString('en-US', isPerShare ? { minimumFractionDigits: 2 } : {})
  return value.startsWith('-') ? `(${plain})` : plain
}

/** Of headings that follow one another directly the renderer shows the last one, and none above a table. */
function withoutFirstHeadings<Row extends { readonly isHeading: boolean; readonly isAboveTable: boolean }>(
  rows: readonly Row[],
): Row[] {
  return rows.filter((row, at) => !(row.isHeading && (row.isAboveTable || rows[at + 1]?.isHeading)))
}

/** The rows of each sheet of the workbook, as texts; numbers are plain. */
async function sheetsOf(files: readonly { readonly name: string; readonly bytes: Uint8Array }[]) {
  return new Map(
    files
      .filter(({ name }) => /^xl\/worksheets\/sheet\d+\.xml$/.test(name))
      .map(({ name, bytes }) => {
        const rows = [...text(bytes).matchAll(/<row .*?<\/row>/gs)].map(([row]) =>
          [...row.matchAll(/<c [^>]*>(?:<is><t[^>]*>(.*?)<\/t><\/is>|<v>(.*?)<\/v>)?<\/c>/gs)].map(
            ([, string, number]) => number ?? decoded(string ?? ''),
          ),
        )
        return [Number(/(\d+)\.xml$/.exec(name)?.[1]), rows] as const
      }),
  )
}

/** The workbook shows the same rows with plain numbers. */
function expectSheet(
  sheets: ReadonlyMap<number, readonly string[][]>,
  number: number,
  rows: readonly PageRow[],
) {
  const plain = (cell: string) => {
    const digits = cell.replace(/[$, ]/g, '')
    const isNumber = /^\(?[\d.]+\)?$/.test(digits)
    if (!isNumber) return cell
    return String(Number(digits.replace(/[()]/g, '')) * (digits.startsWith('(') ? -1 : 1))
  }
  const inSheet = (sheets.get(number) ?? []).map(cells => JSON.stringify(cells.map(plain)))
  expect(inSheet.slice(-rows.length)).toEqual(rows.map(({ cells }) => JSON.stringify(cells.map(plain))))
}

const bytesOf = (content: string) => new TextEncoder().encode(content)
const instanceOf = (facts: string, contexts = '') => `<x:xbrl xmlns:x="http://www.xbrl.org/2003/instance"
  xmlns:us-gaap="http://fasb.org/us-gaap/2031" xmlns:own="http://own.example/20310101"
  xmlns:d="http://xbrl.org/2006/xbrldi" xmlns:i="http://www.xbrl.org/2003/iso4217"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<x:context id="c"><x:entity><x:identifier scheme="s">1</x:identifier></x:entity>
<x:period><x:startDate>2030-01-01</x:startDate><x:endDate>2030-12-31</x:endDate></x:period></x:context>
<x:context id="m"><x:entity><x:identifier scheme="s">1</x:identifier></x:entity>
<x:period><x:instant>2031-01-01T00:00:00</x:instant></x:period></x:context>${contexts}
<x:unit id="u"><x:measure>i:USD</x:measure></x:unit>
${facts}
</x:xbrl>`
const fact = (name: string, value: string, attributes = 'decimals="0"', context = 'c') =>
  `<${name} contextRef="${context}" unitRef="u" ${attributes}>${value}</${name}>`
const linkbaseOf = (body: string) => `<linkbase xmlns="http://www.xbrl.org/2003/linkbase"
  xmlns:xlink="http://www.w3.org/1999/xlink">${body}</linkbase>`
const locator = (id: string) => `<loc xlink:label="${id}" xlink:href="x.xsd#${id}"/>`
const arc = (from: string, to: string, attributes = 'order="1"') =>
  `<presentationArc xlink:arcrole="p" xlink:from="${from}" xlink:to="${to}" ${attributes}/>`
const presentation = (body: string) =>
  linkbaseOf(`<presentationLink xlink:role="r">${body}</presentationLink>`)
const read = (documents: Record<string, string>) =>
  readFilingPackage(
    '1',
    Object.entries(documents).map(([name, content]) => ({ name, bytes: bytesOf(content) })),
  )

describe('traps', () => {
  test('keeps duplicates of another accuracy, and shows the most precise one', () => {
    const facts = [
      fact('us-gaap:Assets', '1200000', 'decimals="-5"', 'm'),
      fact('us-gaap:Assets', '1234567', 'decimals="INF"', 'm'),
      fact('us-gaap:Assets', '1230000', 'decimals="-4"', 'm'),
    ]
    const { filing, faults } = read({
      'own-20310101.xml': instanceOf(facts.join('\n')),
      'own_pre.xml': presentation(
        locator('us-gaap_A') + locator('us-gaap_Assets') + arc('us-gaap_A', 'us-gaap_Assets'),
      ),
    })
    expect(filing.figures.map(({ value, decimals }) => [value, decimals])).toEqual([
      ['1200000', -5],
      ['1234567', Number.POSITIVE_INFINITY],
      ['1230000', -4],
    ])
    expect(faults.named).toEqual([])
    const { rows, columns } = layOutStatement(filing, filing.statements[0])
    expect(rows.flatMap(({ cells }) => cells.map(cell => cell?.value))).toEqual(['1234567'])
    // Midnight is the end of the day before.
    expect(columns.map(({ period }) => isoDate(period?.end ?? 0))).toEqual(['2030-12-31'])
  })

  test('tells typed members apart whose texts have braces', () => {
    const typed = ['Loan {1} A', 'Loan {2} A', '{1} A', '{http://own.example/20310101}A']
    const contexts = typed.map(
      (member, at) => `<x:context id="t${at}"><x:entity><x:identifier scheme="s">1</x:identifier><x:segment>
<d:typedMember dimension="own:LoanAxis"><own:loan>${member}</own:loan></d:typedMember></x:segment></x:entity>
<x:period><x:instant>2030-12-31</x:instant></x:period></x:context>`,
    )
    const facts = typed.map((_, at) => fact('us-gaap:Assets', String(at), 'decimals="0"', `t${at}`))
    const { filing } = read({ 'own-20310101.xml': instanceOf(facts.join('\n'), contexts.join('')) })
    expect(filing.figures.map(({ context: { dimensions } }) => dimensions)).toEqual(
      typed.map(member => [{ axis: 'own:LoanAxis', member }]),
    )
  })

  test('keeps both values of a filing that contradicts itself, and names them', () => {
    const facts = fact('us-gaap:Revenues', '100') + fact('us-gaap:Revenues', '-100')
    const { filing, faults } = read({ 'own-20310101.xml': instanceOf(facts) })
    expect(filing.figures.map(({ value }) => value)).toEqual(['100', '-100'])
    expect(faults.named).toEqual(['us-gaap:Revenues is stated as 100 and as -100 for the same period'])
  })

  test('names figures that cannot be read with document and line, and reads the others', () => {
    const facts = [
      fact('us-gaap:Revenues', '1,000'),
      fact('us-gaap:Revenues', '5', 'decimals="many"'),
      fact('us-gaap:Revenues', '5', '', 'unknown'),
      fact('own:Streams', '12.340', 'decimals="2"'),
      fact('us-gaap:Debt', '', 'xsi:nil="true"'),
    ]
    const { filing, faults, missing } = read({ 'own-20310101.xml': instanceOf(facts.join('\n')) })
    expect(faults.named).toEqual([
      'own-20310101.xml, line 10: us-gaap:Revenues has the value "1,000"',
      'own-20310101.xml, line 11: us-gaap:Revenues has the decimals "many"',
      'own-20310101.xml, line 12: us-gaap:Revenues has no context with days: "unknown"',
    ])
    expect(filing.figures.map(({ concept, value }) => [concept, value])).toEqual([
      ['own:Streams', '12.34'],
      ['us-gaap:Debt', null],
    ])
    expect(filing.taxonomies.get('us-gaap')).toBe('http://fasb.org/us-gaap/2031')
    expect(missing).toEqual(['a presentation linkbase', 'a label linkbase', 'the titles of its statements'])
  })

  test('prefers English labels in the role that the presentation names, and flips no figure', () => {
    const labels = [
      ['label', 'Steuern', 'de'],
      ['label', 'Taxes', 'en-US'],
      ['negatedLabel', 'Less: Steuern', 'de'],
      ['negatedLabel', 'Less: taxes', 'en-US'],
    ].map(
      ([role, content, language]) =>
        `<label xlink:label="l" xlink:role="http://www.xbrl.org/2003/role/${role}" xml:lang="${language}">${content}</label>`,
    )
    const { filing } = read({
      'own-20310101.xml': instanceOf(fact('us-gaap:Taxes', '7')),
      'own_pre.xml': presentation(
        locator('us-gaap_A') +
          locator('us-gaap_Taxes') +
          arc('us-gaap_A', 'us-gaap_Taxes', 'preferredLabel="http://www.xbrl.org/2003/role/negatedLabel"'),
      ),
      'own_lab.xml': linkbaseOf(
        `<labelLink>${locator('us-gaap_Taxes')}${labels.join('')}<labelArc xlink:from="us-gaap_Taxes" xlink:to="l"/></labelLink>`,
      ),
    })
    const [row] = layOutStatement(filing, filing.statements[0]).rows.slice(-1)
    expect([row.line.label, row.cells[0]?.value]).toEqual(['Less: taxes', '7'])
    expect(row.cells[0] && shownValue(row.line, row.cells[0])).toBe('-7')
  })

  test('reads ten thousand dimensions in one pass, and names a figure with too many', () => {
    const member = (axis: number) =>
      `<d:explicitMember dimension="own:A${axis}Axis">own:Member</d:explicitMember>`
    const context = (
      id: string,
      members: string,
    ) => `<x:context id="${id}"><x:entity><x:identifier scheme="s">1</x:identifier>
<x:segment>${members}</x:segment></x:entity><x:period><x:instant>2030-12-31</x:instant></x:period></x:context>`
    const contexts = Array.from({ length: 10_000 }, (_, at) => context(`d${at}`, member(at))).join('')
    const many = context('many', Array.from({ length: 10_000 }, (_, at) => member(at)).join(''))
    const facts = Array.from({ length: 10_000 }, (_, at) => fact('own:Sales', `${at}`, '', `d${at}`)).join('')
    const { filing, faults } = read({
      'own-20310101.xml': instanceOf(facts + fact('own:Sales', '1', '', 'many'), contexts + many),
    })
    expect(new Set(filing.figures.map(({ context: { dimensions } }) => dimensions[0].axis)).size).toBe(10_000)
    expect(faults.count).toBe(1)
    expect(faults.named[0]).toMatch(/^own-20310101\.xml, line \d+: own:Sales has more than 100 dimensions$/)
  })
})

describe('a package is refused whole, with document and line, if', () => {
  const instance = instanceOf(fact('us-gaap:Assets', '1'))
  const chain = Array.from(
    { length: 60 },
    (_, at) => arc(`a_${at}`, `a_${at + 1}`) + arc(`a_${at}`, `a_${at + 1}`, 'order="2"'),
  )
  const chainLocators = Array.from({ length: 61 }, (_, at) => locator(`a_${at}`))
  const refused: [string, Record<string, string>, RegExp][] = [
    ['it has no instance', { 'own_pre.xml': presentation('') }, /has 0 instances and no inline report/],
    [
      'a linkbase is cut off',
      { 'own-20310101.xml': instance, 'own_pre.xml': presentation(locator('a_b')).slice(0, -30) },
      /^own_pre\.xml, line 2, column \d+: /,
    ],
    [
      'its instance is cut off',
      { 'own-20310101.xml': instance.slice(0, -20) },
      /^own-20310101\.xml, line \d+, column \d+: unclosed tag/,
    ],
    [
      'a linkbase nests elements without end',
      { 'own-20310101.xml': instance, 'own_pre.xml': linkbaseOf('<a>'.repeat(2_000)) },
      /^own_pre\.xml, line 2, column \d+: elements are nested deeper than 512 levels/,
    ],
    [
      'entities could expand without limit',
      { 'own-20310101.xml': instance, 'own_lab.xml': `<!DOCTYPE l [<!ENTITY a "b">]>${linkbaseOf('&a;')}` },
      /^own_lab\.xml, line 1, column \d+: a DOCTYPE is not allowed/,
    ],
    [
      'an arc leads nowhere',
      { 'own-20310101.xml': instance, 'own_pre.xml': presentation(locator('a_b') + arc('a_b', 'a_c')) },
      /^own_pre\.xml, .*leads to the unknown locator a_c/,
    ],
    [
      'its lines form a circle',
      {
        'own-20310101.xml': instance,
        'own_pre.xml': presentation(locator('a_b') + locator('a_c') + arc('a_b', 'a_c') + arc('a_c', 'a_b')),
      },
      /r has no beginning: its lines form a circle/,
    ],
    [
      'shared parents expand without limit',
      { 'own-20310101.xml': instance, 'own_pre.xml': presentation(chainLocators.join('') + chain.join('')) },
      /r has more than 100000 lines or 100 levels/,
    ],
  ]
  test.each(refused)('%s', (_, documents, reason) => {
    expect(() => read(documents)).toThrow(reason)
  })

  test('a document is not UTF-8', () => {
    const documents = [{ name: 'own_lab.xml', bytes: new Uint8Array([0x3c, 0xff, 0xc0]) }]
    expect(() => readFilingPackage('1', documents)).toThrow(/^own_lab\.xml: The document is not utf-8/)
  })
})
