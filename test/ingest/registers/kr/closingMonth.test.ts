import { describe, expect, test } from 'bun:test'
import { isoDate } from '../../../../src/dates.ts'
import { fixture, read } from './documents.ts'

describe('periods', () => {
  test('amendments alone do not show when the year ends: their figures wait for the overview', async () => {
    const { parsed, leftOut, figuresRead } = await fixture('005380.jsonl')
    expect(parsed.flatMap(one => one.reportedFacts)).toEqual([])
    expect(leftOut).toEqual({
      'a report whose closing month is unknown (import its overview with it)': figuresRead,
    })
  })

  const line = (receipt: string, report: string, year: string) => ({
    rcept_no: receipt,
    reprt_code: report,
    bsns_year: year,
    corp_code: '00126380',
    sj_div: 'BS',
    account_id: 'ifrs-full_Assets',
    account_nm: '자산총계',
    thstrm_amount: '1',
    currency: 'KRW',
  })
  const endsOf = (month: string | null, ...lines: ReturnType<typeof line>[]) => {
    const request = { fs_div: 'CFS', ...(month === null ? {} : { acc_mt: month }) }
    const { parsed } = read('x.json', JSON.stringify({ status: '000', _request: request, list: lines }))
    return parsed.flatMap(one => one.reportedFacts).map(one => isoDate(one.end))
  }

  test('follow from year, report and closing month; receipts show which calendar year names a business year', () => {
    expect(endsOf('12', line('20230515000001', '11013', '2023'))).toEqual(['2023-03-31'])
    // A year from April to March, named by its first calendar year and by its last.
    expect(endsOf('03', line('20230620000001', '11011', '2022'))).toEqual(['2023-03-31'])
    expect(endsOf('03', line('20230620000001', '11011', '2023'))).toEqual(['2023-03-31'])
    expect(endsOf('03', line('20230814000001', '11013', '2023'))).toEqual(['2023-06-30'])
    expect(endsOf('02', line('20240529000001', '11011', '2023'))).toEqual(['2024-02-29'])
  })

  test('December is assumed only where receipts support it, and never against one', () => {
    expect(endsOf(null, line('20230321000001', '11011', '2022'))).toEqual(['2022-12-31'])
    expect(endsOf(null, line('20230620000001', '11011', '2022'))).toEqual([])
    expect(
      endsOf(null, line('20230321000001', '11011', '2022'), line('20230814000001', '11014', '2023')),
    ).toEqual([])
    expect(endsOf('12', line('20220321000001', '11011', '2022'))).toEqual([])
  })
})
