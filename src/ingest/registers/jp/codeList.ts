import { Failure } from '../../../errors.ts'
import type { EntityProfile } from '../../../facts/reportedFact.ts'
import { textOf } from '../../reading/fields.ts'
import { readCsv } from '../../reading/text.ts'
import type { LeftOut } from '../registerInterface.ts'

const columns = {
  code: 'ＥＤＩＮＥＴコード',
  yearEnd: '決算日',
  name: '提出者名',
  englishName: '提出者名（英字）',
  kana: '提出者名（ヨミ）',
  industry: '提出者業種',
  listed: '上場区分',
  securitiesCode: '証券コード',
} as const

/** The first line of the register's own file: its date and the number of rows that follow. */
const metadata = /^\uFEFF?"?ダウンロード実行日/

export const isCodeList = (text: string): boolean =>
  metadata.test(text) || text.slice(0, 2_000).split(/\r?\n/, 1)[0].includes(columns.code)

/** Parses EdinetcodeDlInfo.csv: every filer of EDINET, whether of reports, of holdings or of offers. */
export function parseCodeList(text: string, leftOut: LeftOut): EntityProfile[] {
  const [head] = text.slice(0, 1_000).split(/\r?\n/, 1)
  const isOwn = metadata.test(text)
  const [header, ...rows] = readCsv(text, ',', isOwn ? 2 : 1)
  const announced = isOwn ? Number(/(\d+)件/.exec(head)?.[1]) : rows.length
  if (rows.length !== announced) {
    throw new Failure(
      'body_invalid',
      `The list has ${rows.length} rows, but states ${announced}: it was cut off. Download it again.`,
    )
  }
  const columnIndex = (column: string) => {
    const at = header?.indexOf(column) ?? -1
    if (at < 0)
      throw new Failure('body_invalid', `The list of EDINET codes does not have the column ${column}.`)
    return at
  }
  const at = {
    code: columnIndex(columns.code),
    yearEnd: columnIndex(columns.yearEnd),
    name: columnIndex(columns.name),
    englishName: columnIndex(columns.englishName),
    kana: columnIndex(columns.kana),
    // Older lists lack these columns.
    industry: header.indexOf(columns.industry),
    listed: header.indexOf(columns.listed),
    securitiesCode: header.indexOf(columns.securitiesCode),
  }
  const profiles = new Map<string, EntityProfile>()
  for (const row of rows) {
    const code = row[at.code].trim()
    if (!/^E\d{5}$/.test(code)) leftOut.add('a row without an EDINET code')
    else if (profiles.has(code)) leftOut.add('an EDINET code listed a second time')
    else profiles.set(code, profileOf(code, row, at, leftOut))
  }
  return [...profiles.values()]
}

type Places = Readonly<Record<keyof typeof columns, number>>

function profileOf(code: string, row: readonly string[], at: Places, leftOut: LeftOut): EntityProfile {
  const name = textOf(row[at.name])
  const listedAs = exchangeCode(textOf(row[at.securitiesCode]))
  const others = [textOf(row[at.englishName]), textOf(row[at.kana]), listedAs]
  const stated = textOf(row[at.yearEnd])
  const [industry, listed] = [textOf(row[at.industry]), textOf(row[at.listed])]
  const fiscalYearEnd = stated === null ? null : yearEndOf(stated)
  if (stated !== null && fiscalYearEnd === null) leftOut.add('a fiscal year end that is not a date')
  return {
    market: 'JP',
    issuerId: code,
    ...(name === null ? {} : { name }),
    otherNames: others.filter(other => other !== null && other !== name).map(other => other ?? ''),
    tickers: [`${code}.JP`],
    ...(fiscalYearEnd === null ? {} : { fiscalYearEnd }),
    ...(industry === null ? {} : { sector: `EDINET ${industry}` }),
    ...(listed === '上場' ? { status: 'listed' } : listed === '非上場' ? { status: 'unlisted' } : {}),
    registers: true,
  }
}

/**
 * Returns the four-character code that investors use (7974) for the securities code of ordinary shares
 * (79740). The fifth character is the kind of security, 0 for ordinary shares; other kinds give null.
 */
const exchangeCode = (securitiesCode: string | null) =>
  /^(\d[\dA-Z]\d[\dA-Z])0$/.exec(securitiesCode ?? '')?.[1] ?? null

/** `MMDD` for 5月31日 and for 2月末日 (end of February), which becomes 0228; null if there is no such day. */
export function yearEndOf(text: string): string | null {
  const parts = /^(\d{1,2})月(末|\d{1,2})日$/.exec(text.normalize('NFKC').replace(/\s/g, ''))
  if (parts === null) return null
  const month = Number(parts[1])
  if (month < 1 || month > 12) return null
  const last = new Date(Date.UTC(2001, month, 0)).getUTCDate()
  const day = parts[2] === '末' ? last : Number(parts[2])
  const maxDay = month === 2 ? 29 : last
  if (day < 1 || day > maxDay) return null
  return `${String(month).padStart(2, '0')}${String(day).padStart(2, '0')}`
}
