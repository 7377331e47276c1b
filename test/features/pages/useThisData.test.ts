import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  curlLine,
  type DataUse,
  powerQuery,
  pythonLines,
  queryString,
  sheetsFormula,
  typescriptLines,
} from '../../../src/features/pages/useThisData/lines.ts'
import { type RealServer, realServer } from '../../http/realServer.ts'
import { findPython } from '../../python.ts'
import { giveKey, newMember } from '../account/members.ts'
import { type ReadPage, readPage } from './readPage.ts'

/** The lines of "Use this data" as they are run by people, against the figures of the page that shows them. */

setDefaultTimeout(180_000)

const python = findPython('requests', 'pandas', 'pyarrow')
const folder = mkdtempSync(join(tmpdir(), 'asfiled-use-'))
let server: RealServer
beforeAll(async () => {
  server = await realServer()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

const entities = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
] as const
const unescaped = (text: string) =>
  entities.reduce((rest, [entity, character]) => rest.replaceAll(entity, character), text)

/** The lines of a page by their names, with the address of this test's server. */
function linesIn({ html }: ReadPage): Record<string, string> {
  const [, name = '', panel = ''] =
    /<details class="use-data" id="use" data-server="([^"]*)">([\s\S]*?)<\/details>/.exec(html) ?? []
  const found = [...panel.matchAll(/<dt>(.*?)<\/dt><dd><pre><code>([\s\S]*?)<\/code><\/pre>/g)]
  return Object.fromEntries(
    found.map(([, title = '', code = '']) => [title, unescaped(code).replaceAll(name, server.url)]),
  )
}

type Row = Readonly<Record<string, unknown>>

/** Runs a line of curl: its address and its header. */
async function curl(line: string): Promise<{ data: Row[]; [field: string]: unknown }> {
  const [, key = '', address = ''] = /^curl -s -H 'Authorization: Bearer (.*?)' '(.*)'$/.exec(line) ?? []
  const answer = await fetch(address, { headers: { Authorization: `Bearer ${key}`, ...another() } })
  expect([line, answer.status]).toEqual([line, 200])
  return answer.json()
}

let scripts = 0
let callers = 0

/** The demo key is limited per address. */
const another = () => ({ 'X-Forwarded-For': `10.78.${++callers >> 8}.${callers & 255}` })

/** Runs the lines as a module of their own. */
async function runTypescript(text: string): Promise<Row[]> {
  const file = join(folder, `use${++scripts}.ts`)
  const from = `const fetch = (address: string, { headers }: RequestInit) =>
  globalThis.fetch(address, { headers: { ...headers, ...${JSON.stringify(another())} } })`
  await Bun.write(file, `${from}\n${text.replace('console.log(data)', 'export default data')}`)
  return (await import(file)).default
}

/** One process for the lines of several pages: the libraries take seconds to load. */
async function runPython(texts: readonly string[]): Promise<Row[][]> {
  const file = join(folder, `use${++scripts}.py`)
  const program = `
import json, sys
for text in json.loads(sys.argv[1]):
    scope = {}
    exec(text, scope)
    if "rows" in scope:
        rows = scope["rows"].astype(object)
        rows = rows.reset_index()
        rows = rows.astype(object).where(rows.notna(), None)
        rows.columns = [str(name) for name in rows.columns]
        print(json.dumps(rows.to_dict("records"), default=str))
    else:
        print(json.dumps(scope["answer"]["data"]))
`
  await Bun.write(file, program)
  const child = Bun.spawn(
    [
      python ?? 'python3',
      '-W',
      'ignore',
      file,
      JSON.stringify(texts.map(text => text.replace(/^print.*$/m, ''))),
    ],
    {
      env: {
        ...process.env,
        ASFILED_KEY: 'demo',
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONPATH: resolve(import.meta.dir, '../../../clients/python/src'),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(err)
  return out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

async function callTool(line: string): Promise<{ data: Row[]; [field: string]: unknown }> {
  const call = JSON.parse(line)
  const answer = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: 'Bearer demo',
      ...another(),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { ...call, arguments: { ...call.arguments, max_characters: 40_000 } },
    }),
  })
  const text = await answer.text()
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
  expect(result.isError ?? false).toBe(false)
  return result.structuredContent
}

/** Rows of a CSV without commas in its cells, which figures have none of. */
function csvRows(text: string): Row[] {
  const [head = '', ...lines] = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter(line => line !== '' && !line.startsWith('#'))
  const names = head.split(',')
  return lines.map(line => Object.fromEntries(line.split(',').map((cell, at) => [names[at] ?? at, cell])))
}

/** The rows of the request that a query of Excel makes. */
async function excel(text: string): Promise<Row[]> {
  const [, base = ''] = /Web\.Contents\("(.*?)"/.exec(text) ?? []
  const [, path = ''] = /RelativePath = "(.*?)"/.exec(text) ?? []
  const [, key = ''] = /Authorization = "(.*?)"/.exec(text) ?? []
  const [, fields = ''] = /Query = \[(.*)\]/.exec(text) ?? []
  const query = new URLSearchParams(
    [...fields.matchAll(/(\w+) = "((?:[^"]|"")*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('""', '"'),
    ]),
  )
  const answer = await fetch(`${base}/${path}?${query}`, { headers: { Authorization: key, ...another() } })
  expect(answer.status).toBe(200)
  return csvRows(await answer.text())
}

async function sheet(formula: string): Promise<Row[]> {
  const [, address = ''] = /^=IMPORTDATA\("(.*)"\)$/.exec(formula) ?? []
  // As Google does it: without a key and without a cookie.
  const answer = await fetch(address, { headers: another() })
  expect([address, answer.status]).toEqual([address, 200])
  return csvRows(await answer.text())
}

const day = (value: unknown) => String(value).slice(0, 10)
/** The figures that a page of the same rows shows. It has no column for parts of a year, and shows what is counted some days after a period in the column of the period. */
const figures = (rows: readonly Row[]) =>
  rows
    .filter(({ m }) => !String(m).endsWith('_ytd'))
    .map(({ m, fp, fy, v }) => `${m} ${fp} ${fy} ${Number(v)}`)
    .sort()

const companyPaths = [
  '/companies/AAPL',
  '/companies/AAPL?as_of=2009-12-31',
  '/companies/AAPL?as_of=2010-01-25T16:00&tz=America/New_York&show=quarters',
  '/companies/AAPL?as_of=2010-01-25@close&show=ttm',
  '/companies/MSFT',
  '/companies/E02367.JP?show=years',
]

describe('a company', () => {
  for (const path of companyPaths) {
    test(`${path}: each line gives exactly the figures of the page`, async () => {
      const page = await readPage(server.url + path)
      const shown = page.cells.map(({ metric, period, value }) => `${metric} ${period} ${value}`).sort()
      expect(shown.length).toBeGreaterThan(5)
      const lines = linesIn(page)
      expect(figures((await curl(lines.curl)).data)).toEqual(shown)
      expect(figures(await runTypescript(lines.TypeScript))).toEqual(shown)
      expect(figures(await sheet(lines['Google Sheets']))).toEqual(shown)
      expect(figures(await excel(lines['Excel (Power Query)']))).toEqual(shown)
      const { data, next } = await callTool(lines['Assistants (MCP): the tool call'])
      const ofTool = new Set(figures(data))
      if (next === null) expect([...ofTool].sort()).toEqual(shown)
      else expect([...ofTool].filter(one => !shown.includes(one))).toEqual([])
    })
  }

  test('a chosen figure: each line gives its revisions by the day', async () => {
    // Apple's 10-K of October 2009 states 36,537 million dollars, its 10-K/A of January 2010 42,905.
    const known = [
      ['', ['2009-10-27 36537000000', '2010-01-25 42905000000']],
      ['&as_of=2009-12-31', ['2009-10-27 36537000000']],
    ] as const
    for (const [chosen, expected] of known) {
      const page = await readPage(`${server.url}/companies/AAPL?cell=revenue.2009.FY.2009-09-26${chosen}`)
      const lines = linesIn(page)
      const revisions = (rows: readonly Row[]) => rows.map(({ filed, v }) => `${day(filed)} ${Number(v)}`)
      expect(revisions((await curl(lines.curl)).data)).toEqual([...expected])
      expect(revisions(await runTypescript(lines.TypeScript))).toEqual([...expected])
      expect(revisions((await callTool(lines['Assistants (MCP): the tool call'])).data)).toEqual([
        ...expected,
      ])
    }
  })

  test('a file has the day in its name, and of every revision only those by then', async () => {
    const { html } = await readPage(`${server.url}/companies/AAPL?as_of=2009-12-31&show=quarters`)
    const links = [...html.matchAll(/href="(\/companies\/AAPL\/download[^"]*)"/g)].map(([, path = '']) =>
      unescaped(path),
    )
    expect(links.filter(path => path.includes('as_of=2009-12-31'))).toEqual(links)
    expect(links).toHaveLength(6)
    const table = await fetch(`${server.url}${links.find(path => path.includes('show=quarters&'))}`)
    expect(table.headers.get('content-disposition')).toBe(
      'attachment; filename="asfiled-AAPL-quarters-2009-12-31.csv"',
    )
    const fields = 'fields=accession,form,tag,start,accepted_at,inputs,url&format=csv&comments=true'
    const asked = { table: '&fp=Q1,Q2,Q3,Q4&vintage=latest', all: '' }
    for (const path of links.filter(link => link.includes('format=csv'))) {
      const file = await (await fetch(server.url + path)).text()
      const answer = await fetch(
        `${server.url}/api/v1/fundamentals?ticker=AAPL&as_of=2009-12-31&${fields}${path.includes('show=') ? asked.table : asked.all}`,
        { headers: { Authorization: 'Bearer demo' } },
      )
      expect(file).toBe(await answer.text())
      expect(csvRows(file).length).toBeGreaterThan(20)
      expect(csvRows(file).filter(({ filed }) => String(filed) > '2009-12-31')).toEqual([])
    }
    const future = await fetch(`${server.url}/companies/AAPL/download?as_of=2999-01-01`)
    expect(future.status).toBe(400)
    const closed = await fetch(`${server.url}/companies/MSFT/download?as_of=2009-12-31`)
    expect(closed.status).toBe(403)
  })
})

/** The exact values of a page's tables in their order. */
const valuesIn = ({ html }: ReadPage) =>
  [...html.matchAll(/<td[^>]* data-v="([^"]*)"/g)].map(([, value = '']) => value)

const statementPaths = [
  '/companies/AAPL/statements',
  '/companies/AAPL/statements?statement=balance&as_of=2009-07-31',
  '/companies/AAPL/statements?view=standard&as_of=2009-12-31',
  '/companies/AAPL/statements?view=as_filed&accession=0001193125-09-153165',
]

describe('whole filings', () => {
  for (const path of statementPaths) {
    test(`${path}: each line gives the values of the page`, async () => {
      const page = await readPage(server.url + path)
      const shown = valuesIn(page)
      expect(shown.length).toBeGreaterThan(10)
      const lines = linesIn(page)
      const ofCells = (rows: readonly Row[]) =>
        rows.flatMap(({ cells }) =>
          (Array.isArray(cells) ? cells : []).flatMap(cell => (cell === null ? [] : [cell.value ?? 'nil'])),
        )
      const sorted = (values: readonly unknown[]) => values.map(value => Number(value)).sort((a, b) => a - b)
      const answer = await curl(lines.curl)
      expect(sorted(ofCells(answer.data))).toEqual(sorted(shown))
      expect(sorted(ofCells(await runTypescript(lines.TypeScript)))).toEqual(sorted(shown))
      const file = await sheet(lines['Google Sheets'])
      expect(file.length).toBeGreaterThan(10)
      const call = lines['Assistants (MCP): the tool call']
      expect(call === undefined).toBe(path.includes('standard'))
      if (call !== undefined) {
        const { data, count } = await callTool(call)
        expect(data).toHaveLength(Number(count))
        expect(data.length).toBe(answer.data.length)
      }
    })
  }

  test('a breakdown: each line gives its members', async () => {
    for (const path of [
      '/companies/AAPL/segments?axis=geography',
      '/companies/AAPL/segments?axis=product&as_of=2010-01-25',
    ]) {
      const page = await readPage(server.url + path)
      const lines = linesIn(page)
      const { data } = await curl(lines.curl)
      const members = (rows: readonly Row[]) =>
        rows.flatMap(({ members }) => (Array.isArray(members) ? members : []))
      const shown = new Set(valuesIn(page))
      const values = members(data).map(({ value }) => String(value))
      expect(values.filter(value => !shown.has(value))).toEqual([])
      expect(members(await runTypescript(lines.TypeScript))).toEqual(members(data))
      const call = lines['Assistants (MCP): the tool call']
      if (values.length > 0)
        expect((await callTool(call)).data.map(({ value }) => String(value)).sort()).toEqual(
          [...values].sort(),
        )
    }
  })
})

const screenPaths = [
  '/screen?market=US&c1=roe&c2=revenue&min_roe=10%25&min_revenue=2.5bn&sort=-revenue',
  '/screen?market=US&c1=net_margin&max_net_margin=0',
]

describe('lists', () => {
  for (const path of screenPaths) {
    test(`${path}: each line gives the companies of the page in its order`, async () => {
      const page = await readPage(server.url + path)
      const shown = [
        ...page.html.matchAll(/<th scope="row"[^>]*>(?:<input[^>]*> )?<a href="\/companies\/([^"]+)"/g),
      ].map(([, id = '']) => decodeURIComponent(id))
      expect(shown.length).toBeGreaterThan(3)
      const lines = linesIn(page)
      const tickers = (rows: readonly Row[]) => rows.map(({ ticker }) => String(ticker))
      expect(tickers((await curl(lines.curl)).data)).toEqual(shown)
      expect(tickers(await runTypescript(lines.TypeScript))).toEqual(shown)
      expect(tickers(await excel(lines['Excel (Power Query)'])).slice(0, 3)).toEqual(shown.slice(0, 3))
      const { data } = await callTool(lines['Assistants (MCP): the tool call'])
      expect(shown.slice(0, data.length)).toEqual(tickers(data))
    })
  }

  test('comparisons and universes: each line gives the rows of the page', async () => {
    for (const path of [
      '/compare?companies=AAPL,GOOGL&metric=revenue,net_margin&as_of=2012-01-25',
      '/universe?market=US&as_of=2010-03-31&state=reporting',
    ]) {
      const lines = linesIn(await readPage(server.url + path))
      const { data } = await curl(lines.curl)
      expect(data.length).toBeGreaterThan(5)
      expect(await runTypescript(lines.TypeScript)).toEqual(data)
      expect(await excel(lines['Excel (Power Query)'])).toHaveLength(data.length)
      const call = lines['Assistants (MCP): the tool call']
      if (call === undefined) continue
      const values = (rows: readonly Row[]) => rows.map(({ v }) => Number(v))
      expect(values((await callTool(call)).data)).toEqual(values(data))
    }
  })

  test('restatements: each line gives changes of the page', async () => {
    for (const path of ['/restatements', '/restatements?market=US&metric=revenue&from=2010-01-01']) {
      const page = await readPage(server.url + path)
      const lines = linesIn(page)
      const change = ({ value, value_before: before }: Row) => `${Number(before)} ${Number(value)}`
      const shown = valuesIn(page)
      const pairs = new Set(shown.flatMap((value, at) => (at % 2 === 0 ? [`${value} ${shown[at + 1]}`] : [])))
      const changes = (await curl(lines.curl)).data.map(change)
      expect(changes.length).toBeGreaterThan(0)
      expect(changes.filter(one => !pairs.has(one))).toEqual([])
      expect((await runTypescript(lines.TypeScript)).map(change)).toEqual(changes)
      const { data } = await callTool(lines['Assistants (MCP): the tool call'])
      expect(data.map(change)).toEqual(changes)
    }
  })
})

test.skipIf(python === null)('the Python lines give what the other lines give', async () => {
  const others = [
    '/companies/AAPL?cell=revenue.2009.FY.2009-09-26',
    '/companies/AAPL/segments?axis=geography',
    '/restatements',
    '/compare?companies=AAPL,GOOGL&metric=revenue,net_margin&as_of=2012-01-25&view=growth',
  ]
  const paths = [...companyPaths, ...statementPaths, ...screenPaths, ...others]
  const read = []
  for (const path of paths) read.push(linesIn(await readPage(server.url + path)))
  const tables = await runPython(read.map(({ Python }) => Python))
  for (const [at, path] of paths.entries()) {
    const { data } = await curl(read[at].curl)
    const rows = tables[at]
    expect([path, valuesOf(rows)]).toEqual([path, valuesOf(data)])
  }
})

/** The numbers of rows: in a frame of a statement the columns are periods, in its answer lines have cells. */
function valuesOf(rows: readonly Row[]): number[] {
  const found = rows.flatMap(row => {
    const parts = [row.cells, row.members].find(Array.isArray)
    if (parts !== undefined) return parts.map(part => part?.value)
    const periods = Object.keys(row).filter(name => /\d{4}-\d\d-\d\d/.test(name))
    return periods.length > 0
      ? periods.map(name => row[name])
      : [row.v ?? row.value ?? row.revenue ?? row.net_margin]
  })
  return found.flatMap(value => (value == null ? [] : [Number(value)])).sort((a, b) => a - b)
}

describe('a licence', () => {
  const use: DataUse = {
    baseUrl: 'https://data.example.com',
    path: '/api/v1/fundamentals',
    query: { ticker: 'MSFT', metric: ['revenue', 'roe'], as_of: '2010-01-25T16:00:00+09:00', fy: undefined },
    python: { method: 'fundamentals', args: ['MSFT'], named: { filters: { min_roe: 0.1 }, fp: undefined } },
    tool: null,
    file: null,
    key: 'own',
  }

  test('needs a key of its own, which no line contains', () => {
    const address =
      'https://data.example.com/api/v1/fundamentals?ticker=MSFT&metric=revenue,roe&as_of=2010-01-25T16:00:00%2B09:00'
    expect(curlLine(use)).toBe(`curl -s -H "Authorization: Bearer $ASFILED_KEY" '${address}'`)
    expect(typescriptLines(use)).toContain(`fetch('${address}'`)
    expect(typescriptLines(use)).not.toContain('demo')
    expect(pythonLines(use)).toContain('rows = client.fundamentals("MSFT", filters={"min_roe": 0.1})')
    expect(powerQuery(use)).toContain('as_of = "2010-01-25T16:00:00+09:00", format = "csv"]')
    expect(sheetsFormula(use)).toBeNull()
  })

  test('no value ends the text that it is in', () => {
    expect(queryString({ q: `'"&# ` })).toBe('?q=%27%22%26%23%20')
    expect(powerQuery({ ...use, query: { tag: 'a"b' } })).toContain('tag = "a""b"')
    expect(pythonLines({ ...use, python: { method: 'reported', args: ['a"\\b'], named: {} } })).toContain(
      'client.reported("a\\"\\\\b")',
    )
  })

  test('a page for a licence has lines for a key with that licence', async () => {
    const { sql } = server
    const { email, cookie } = await newMember(server)
    await giveKey(sql, email, { licence: 'personal' })
    const page = await readPage(`${server.url}/companies/MSFT?as_of=2010-02-01`, { Cookie: cookie })
    const lines = linesIn(page)
    expect(lines.curl).toContain('$ASFILED_KEY')
    expect(lines.curl).toContain('as_of=2010-02-01')
    expect(lines['Google Sheets']).toBeUndefined()
    const apple = linesIn(await readPage(`${server.url}/companies/AAPL?as_of=2010-02-01`, { Cookie: cookie }))
    expect(apple.curl).toContain('Bearer demo')
  })
})
