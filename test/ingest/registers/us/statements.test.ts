import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayNumber, isoDate } from '../../../../src/dates.ts'
import { importRegister } from '../../../../src/ingest/import/importRegister.ts'
import { openZip, readEntry } from '../../../../src/ingest/reading/archives.ts'
import { lastDayWithoutFilings } from '../../../../src/ingest/registers/us/businessDays.ts'
import { isEquityClass, readFiledNotice } from '../../../../src/ingest/registers/us/filedText.ts'
import { isMasterIndex, parseMasterIndex } from '../../../../src/ingest/registers/us/masterIndex.ts'
import { readJson } from '../../../../src/ingest/registers/us/readDocument.ts'
import { usRegister } from '../../../../src/ingest/registers/us/register.ts'
import type { Sql } from '../../../../src/postgres/client.ts'
import { freshDatabases } from '../../../freshDatabases.ts'
import { sharedPath } from '../../../shared.ts'
import { zipped } from '../../../zipped.ts'

setDefaultTimeout(120_000)

const fresh = freshDatabases()
const folder = mkdtempSync(join(tmpdir(), 'asfiled-statements-'))
afterAll(() => rmSync(folder, { recursive: true }))

const dataSets = sharedPath('registers/us/fsds')
const carboPath = sharedPath('registers/us/submissions/CIK0001009672.json')

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The header is that of EDGAR's own files. The rows are made up, except for Apple's 10-Q of 2021-01-28. */
const quarterly = (
  lastDay: string,
  rows: readonly string[],
) => `Description:           Master Index of EDGAR Dissemination Feed
Last Data Received:    ${lastDay}
Comments:              webmaster@sec.gov
Anonymous FTP:         ftp://ftp.sec.gov/edgar/
Cloud HTTP:            https://www.sec.gov/Archives/

 
 
 
CIK|Company Name|Form Type|Date Filed|Filename
--------------------------------------------------------------------------------
${rows.join('\n')}
`

test('the index of a quarter lists reports and notices, and is complete up to the day in its header', () => {
  const bytes = bytesOf(
    quarterly('March 31, 2021', [
      '320193|Apple Inc.|10-Q|2021-01-28|edgar/data/320193/0000320193-21-000010.txt',
      '320193|Apple Inc.|4|2021-02-03|edgar/data/320193/0000320193-21-000012.txt',
      '1000|GONE CO|25-NSE|2021-03-01|edgar/data/1000/0000876661-21-000001.txt',
    ]),
  )
  expect(isMasterIndex(bytes)).toBeTrue()
  const { entries, indexes } = parseMasterIndex(bytes)
  expect(entries).toEqual([
    {
      market: 'US',
      issuerId: '0000320193',
      accession: '0000320193-21-000010',
      form: '10-Q',
      filed: dayNumber('2021-01-28'),
      isStructured: false,
      companyName: 'Apple Inc.',
    },
    {
      market: 'US',
      issuerId: '0000001000',
      accession: '0000876661-21-000001',
      form: '25-NSE',
      filed: dayNumber('2021-03-01'),
      isStructured: false,
      companyName: 'GONE CO',
    },
  ])
  expect(indexes.map(({ first, last }) => [isoDate(first), isoDate(last)])).toEqual([
    ['2021-01-01', '2021-03-31'],
  ])
})

test('the index of a Friday is complete until the next business day', () => {
  const text = quarterly('Jan 15, 2021', [
    '1000|GONE CO|10-K|20210115|edgar/data/1000/0000001000-21-000001.txt',
  ])
    .replace('Master Index', 'Daily Index')
    .replace('Filename', 'File Name')
  const { entries, indexes } = parseMasterIndex(bytesOf(text))
  expect(entries.map(({ filed }) => isoDate(filed))).toEqual(['2021-01-15'])
  // 2021-01-18 was Martin Luther King's day.
  expect(indexes.map(({ first, last }) => [isoDate(first), isoDate(last)])).toEqual([
    ['2021-01-15', '2021-01-18'],
  ])
})

test('federal holidays of 2020 to 2023 as the Office of Personnel Management published them', () => {
  const observed =
    `2020-01-01 2020-01-20 2020-02-17 2020-05-25 2020-07-03 2020-09-07 2020-10-12 2020-11-11 2020-11-26 2020-12-25
    2021-01-01 2021-01-18 2021-02-15 2021-05-31 2021-06-18 2021-07-05 2021-09-06 2021-10-11 2021-11-11 2021-11-25 2021-12-24
    2021-12-31 2022-01-17 2022-02-21 2022-05-30 2022-06-20 2022-07-04 2022-09-05 2022-10-10 2022-11-11 2022-11-24 2022-12-26
    2023-01-02 2023-01-16 2023-02-20 2023-05-29 2023-06-19 2023-07-04 2023-09-04 2023-10-09 2023-11-10 2023-11-23 2023-12-25`.split(
      /\s+/,
    )
  const found: string[] = []
  for (let day = dayNumber('2019-12-31'); day < dayNumber('2023-12-29'); day++) {
    const weekday = new Date(`${isoDate(day + 1)}T00:00:00Z`).getUTCDay()
    if (weekday > 0 && weekday < 6 && lastDayWithoutFilings(day) > day) found.push(isoDate(day + 1))
  }
  expect(found).toEqual(observed)
})

test('a notice of an exchange names the class that it removes, in the words that exchanges use', () => {
  const text = `<SEC-DOCUMENT>0000876661-21-000001.txt : 20210301
<SEC-HEADER>0000876661-21-000001.hdr.sgml : 20210301
ACCESSION NUMBER:		0000876661-21-000001
CONFORMED SUBMISSION TYPE:	25-NSE
FILED AS OF DATE:		20210301

SUBJECT COMPANY:	

	COMPANY DATA:	
		COMPANY CONFORMED NAME:			GONE CO
		CENTRAL INDEX KEY:			0000001000
		STANDARD INDUSTRIAL CLASSIFICATION:	CRUDE PETROLEUM & NATURAL GAS [1311]
		FISCAL YEAR END:			1231

FILED BY:		

	COMPANY DATA:	
		COMPANY CONFORMED NAME:			NEW YORK STOCK EXCHANGE LLC
		CENTRAL INDEX KEY:			0000876661
</SEC-HEADER>
<DOCUMENT><TYPE>25-NSE<TEXT><XML>
<notificationOfRemoval><descriptionClassSecurity>Common Stock</descriptionClassSecurity></notificationOfRemoval>
</XML></TEXT></DOCUMENT>`
  expect(readFiledNotice(bytesOf(text)).entries).toEqual([
    {
      market: 'US',
      issuerId: '0000001000',
      accession: '0000876661-21-000001',
      form: '25-NSE',
      filed: dayNumber('2021-03-01'),
      isStructured: false,
      isEquity: true,
      companyName: 'GONE CO',
      sector: 'SIC 1311',
      fiscalYearEnd: '1231',
    },
  ])
  for (const [described, isEquity] of [
    ['Class A Common Stock, par value $0.0001 per share', true],
    ['American Depositary Shares, each representing two Ordinary Shares', true],
    ['Common units representing limited partner interests', true],
    ['Units, each consisting of one share of Class A common stock and one-half of one warrant', false],
    ['Warrants, each exercisable for one share of common stock', false],
    ['Common Stock and Warrants', true],
    ['Common Stock Purchase Rights', false],
    ['0.250% Senior Notes due 2024', false],
    ['Depositary Shares, each representing 1/40th of a share of 6% Preferred Stock', null],
    ['7% Series A Cumulative Preferred Stock', false],
  ] as const)
    expect([described, isEquityClass(described)]).toEqual([described, isEquity])
})

async function importNamed(sql: Sql, files: Readonly<Record<string, Uint8Array>>) {
  const paths: string[] = []
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name)
    await Bun.write(path, bytes)
    paths.push(path)
  }
  return importRegister(sql, usRegister, { paths, observedOn: '2026-01-05' }, () => {})
}

async function subOf(name: string): Promise<Uint8Array> {
  const zip = await openZip(`${dataSets}/${name}.zip`)
  for await (const entry of zip.eachEntry())
    if (entry.fileName === 'sub.txt') {
      const bytes = await readEntry(zip, entry)
      zip.close()
      return bytes
    }
  throw new Error(`${name} has no sub.txt`)
}

const stateOn = async (sql: Sql, issuerId: string, day: string) => {
  const [row] = await sql<{ state: string; accession: string | null }[]>`
    select state, accession from company_state
    where market = 'US' and issuer_id = ${issuerId} and from_day <= ${day} and until_day > ${day}`
  return row === undefined ? null : `${row.state}${row.accession === null ? '' : ` by ${row.accession}`}`
}

test.skipIf(dataSets === null)(
  'the data sets of three quarters: IBM is unknown between them, and who files again reports again',
  async () => {
    const subs: Record<string, Uint8Array> = {
      '2009q3': await subOf('2009q3'),
      '2010q1': await subOf('2010q1'),
      '2021q1': await subOf('2021q1-sub-only'),
    }
    const sql = await fresh()
    for (const [name, content] of Object.entries(subs).reverse())
      await importNamed(sql, { [`${name}.zip`]: zipped([{ name: 'sub.txt', content }]) })
    const ibm = '0000051143'
    // 10-K of 2010-02-23 (0001047469-10-001151) and, in 2021q1, 10-K of 2021-02-23.
    expect(await stateOn(sql, ibm, '2010-03-31')).toBe('reporting')
    expect(await stateOn(sql, ibm, '2012-12-31')).toBe('unknown')
    expect(await stateOn(sql, ibm, '2021-03-31')).toBe('reporting')
    const spans = await sql`select first_day, last_day, is_full from register_index order by first_day`
    expect(spans.map(({ first_day, last_day, is_full }) => [first_day, last_day, is_full])).toEqual([
      ['2009-07-01', '2009-09-30', false],
      ['2010-01-01', '2010-03-31', false],
      ['2021-01-01', '2021-03-31', false],
    ])
    // Read independently of the importer: the registrants of each set's periodic reports.
    const reporting = (content: Uint8Array) => {
      const [head, ...lines] = new TextDecoder()
        .decode(content)
        .trimEnd()
        .split('\n')
        .map(line => line.split('\t'))
      const at = (name: string) => head.indexOf(name)
      const reports = lines.filter(line => /^(10-K|10-Q|20-F|40-F)(T?)(\/A)?$/.test(line[at('form')]))
      return new Set(
        reports
          .flatMap(line => [line[at('cik')], ...(line[at('aciks')] ?? '').trim().split(' ')])
          .filter(cik => cik !== ''),
      )
    }
    const early = reporting(subs['2009q3'])
    const late = reporting(subs['2021q1'])
    const again = [...early].filter(cik => late.has(cik))
    expect(again.length).toBeGreaterThan(250)
    const rows = await sql<{ issuer_id: string }[]>`
    select issuer_id from company_state where market = 'US' and state = 'reporting' and from_day <= '2021-03-31'
      and until_day > '2021-03-31'`
    const found = new Set(rows.map(row => row.issuer_id))
    expect([...late].filter(cik => !found.has(cik.padStart(10, '0')))).toEqual([])
    expect(found.size).toBe(late.size)
  },
)

test.skipIf(carboPath === null)(
  'CARBO Ceramics: a Form 25 of unknown class ends nothing, Form 15-15D of 2020-06-22 does',
  async () => {
    const sql = await fresh()
    const path = String(carboPath)
    const { statements } = readJson(await Bun.file(path).json(), path)
    const reports = statements?.entries
      .filter(({ form }) => /^10-/.test(form))
      .map(({ filed }) => isoDate(filed))
    expect(reports?.toSorted().at(-1)).toBe('2020-05-15')
    await importRegister(sql, usRegister, { paths: [path], observedOn: '2026-01-05' }, () => {})
    const carbo = '0001009672'
    expect(await stateOn(sql, carbo, '2020-01-10')).toBe('reporting')
    expect(await stateOn(sql, carbo, '2020-06-21')).toBe('reporting')
    expect(await stateOn(sql, carbo, '2020-06-22')).toBe('deregistered by 0001564590-20-030114')
    expect(await stateOn(sql, carbo, '2025-01-01')).toBe('deregistered by 0001193125-20-329449')
  },
)
