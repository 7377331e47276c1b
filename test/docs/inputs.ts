import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipped } from '../zipped.ts'

const root = resolve(import.meta.dir, '../..')
const fixtures = (path: string) => resolve(root, 'test/ingest', path)

/** Where each file in the documents' commands comes from: a fixture, or a zip made from fixtures. */
const copies: Readonly<Record<string, string>> = {
  'company_tickers.json': 'registers/us/fixtures/company_tickers.json',
  '2010-QTR1/master.idx': 'network/fixtures/us-master.idx',
  'references/0400003551.json': 'network/fixtures/be-references.json',
  'accountingData/2024-00290653.json': 'network/fixtures/be-accountingData.json',
  'EdinetcodeDlInfo.csv': 'registers/jp/fixtures/EdinetcodeDlInfo.csv',
  'documents/documents-2024-06-28.json': 'registers/jp/fixtures/documents-2024-06-28.json',
  'annual-reports/S100TMMG/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl':
    'registers/jp/fixtures/jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl',
  'offentliggoerelser.json': 'registers/dk/fixtures/index.json',
  'reports/kmd-2016.xml': 'registers/dk/fixtures/kmd-2016.xml',
  'GrpOrgAllReturns.json': 'registers/nz/fixtures/returns.json',
  'fnlttSinglAcntAll/00164779_2019_11011_CFS.json':
    'registers/kr/fixtures/fnlttSinglAcntAll_00164779_2019_11011_CFS.json',
  'pulls/2026-08-17/t187ap06_L_ci.json': 'registers/tw/fixtures/t187ap06_L_ci.json',
  'pulls/2026-08-17/t187ap07_L_ci.json': 'registers/tw/fixtures/t187ap07_L_ci.json',
  'pulls/2026-11-16/t187ap06_L_ci.json': 'registers/tw/fixtures/t187ap06_L_ci.json',
}

const zips: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'companyfacts.zip': { 'CIK0000320193.json': 'registers/us/fixtures/companyfacts-aapl-fy2009.json' },
  'submissions.zip': { 'CIK0000320193.json': 'registers/us/fixtures/submissions-aapl.json' },
  'comptes_annuels.zip': {
    'PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml':
      'registers/fr/fixtures/PUB_CA_483935326_1303_2013D00195_2015_1048.donnees.xml',
  },
  'corpCode.zip': { 'CORPCODE.xml': 'registers/kr/fixtures/CORPCODE.xml' },
}

/** A made-up notice of an exchange, in the form of EDGAR's own. */
const notice = `<SEC-DOCUMENT>0000876661-20-000021.txt : 20200106
<SEC-HEADER>0000876661-20-000021.hdr.sgml : 20200106
ACCESSION NUMBER:		0000876661-20-000021
CONFORMED SUBMISSION TYPE:	25-NSE
FILED AS OF DATE:		20200106

SUBJECT COMPANY:	

	COMPANY DATA:	
		COMPANY CONFORMED NAME:			GONE CO
		CENTRAL INDEX KEY:			0000001000
</SEC-HEADER>
<DOCUMENT><TYPE>25-NSE<TEXT><XML>
<notificationOfRemoval><descriptionClassSecurity>Common Stock</descriptionClassSecurity></notificationOfRemoval>
</XML></TEXT></DOCUMENT>
`

/** Puts every file that the documents name into `folder`, and a link to the command line. */
export async function writeInputs(folder: string): Promise<void> {
  for (const [name, source] of Object.entries(copies)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    copyFileSync(fixtures(source), join(folder, name))
  }
  for (const [name, entries] of Object.entries(zips)) {
    const contents = Object.entries(entries).map(async ([entry, source]) => ({
      name: entry,
      content: await Bun.file(fixtures(source)).bytes(),
    }))
    writeFileSync(join(folder, name), zipped(await Promise.all(contents)))
  }
  writeFileSync(
    join(folder, 'StockUniteLegale.csv'),
    'siren,statutDiffusionUniteLegale,denominationUniteLegale\n483935326,O,PEAU SAS\n',
  )
  writeFileSync(join(folder, '0000876661-20-000021.txt'), notice)
  const forecasts = 'date,ticker,market,horizon,predicted_pct,actual_pct\n2024-01-02,AAPL,US,1d,0.01,0.02\n'
  writeFileSync(join(folder, 'forecasts.csv.gz'), gzipSync(forecasts))
  writeFileSync(join(folder, 'panel.csv'), panel())
  writeFileSync(
    join(folder, 'prices.csv'),
    'date,symbol,close,split_factor\n2020-08-28,AAPL,499.23,\n2020-08-31,AAPL,129.04,4\n',
  )
  mkdirSync(join(folder, 'sample'))
  symlinkSync(resolve(root, 'sample/signals.csv.gz'), join(folder, 'sample/signals.csv.gz'))
  symlinkSync(resolve(root, 'asfiled'), join(folder, 'asfiled'))
}

/** Forty names over a hundred days whose scores say nothing about their returns. */
function panel(): string {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const lines = ['date,asset,market,score,forward_return']
  for (let day = 0; day < 100; day++) {
    const date = new Date(Date.UTC(2024, 0, 1 + day + 2 * Math.floor(day / 5))).toISOString().slice(0, 10)
    for (let name = 0; name < 40; name++)
      lines.push(`${date},N${name},US,${random().toFixed(6)},${((random() - 0.5) / 25).toFixed(6)}`)
  }
  return `${lines.join('\n')}\n`
}
