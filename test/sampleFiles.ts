import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sharedPath } from './shared.ts'

/** Nintendo's report. Its EDINET number is in the list of documents and not in the file, so a folder must name it. */
const nintendo = 'jpcrp030000-asr-001_E02367-000_2024-03-31_01_2024-06-28.xbrl.gz'

const files: Readonly<Record<string, readonly string[]>> = {
  us: [
    'us/companyfacts',
    'us/submissions/CIK0000320193.json',
    'us/company_tickers.json',
    'us/fsds/2009q3.zip',
    'us/fsds/2010q1.zip',
    'us/filings/0000320193-25-000057-xbrl.zip',
  ],
  jp: ['jp/EdinetcodeDlInfo_20260512.csv.gz', 'jp/documents_csv/2024-06-28.csv.gz'],
  kr: ['kr/corpCode.zip', 'kr/fnlttSinglAcntAll/005930.jsonl.gz'],
  tw: [
    'tw/tw_income_stmt_cumulative_2023-2024.csv.gz',
    'tw/t187ap06_L_ci_sample.json',
    'tw/t187ap07_L_ci_sample.json',
  ],
  fr: ['fr/inpi_xml_bundles/comptes'],
  nz: ['nz/TestFinancialCharityData.json'],
  be: ['be/belgian-npo_0410682657_FY2016.xbrl'],
  dk: ['dk/xbrl/exitplanner_report1.xml'],
}

/** The real files that the shipped sample is made from, by market. null: they are not on this machine.
 *
 * @param folder receives Nintendo's report in a folder with its number */
export function sampleFiles(folder: string): ReadonlyMap<string, readonly string[]> | null {
  const report = sharedPath(`registers/jp/xbrl_instances/${nintendo}`)
  const found = new Map<string, readonly string[]>()
  for (const [market, names] of Object.entries(files)) {
    const paths = names.map(name => sharedPath(`registers/${name}`)).filter(path => path !== null)
    if (paths.length < names.length || report === null) return null
    found.set(market, paths)
  }
  const numbered = join(folder, 'S100TMMG')
  mkdirSync(numbered, { recursive: true })
  copyFileSync(report ?? '', join(numbered, nintendo))
  found.set('jp', [...(found.get('jp') ?? []), numbered])
  return found
}
