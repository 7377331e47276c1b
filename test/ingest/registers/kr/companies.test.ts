import { expect, test } from 'bun:test'
import { fixture, read } from './documents.ts'

test('an overview names the board and the closing month', () => {
  const overview = (board: string) =>
    JSON.stringify({
      ...{
        status: '000',
        corp_code: '00261443',
        corp_name: '주식회사 엔씨',
        corp_name_eng: 'NC Corporation',
      },
      stock_code: '036570',
      corp_cls: board,
      acc_mt: '12',
    })
  const [main] = read('company.json', overview('Y')).parsed
  expect(main.profile).toEqual({
    market: 'KR',
    issuerId: '00261443',
    name: '주식회사 엔씨',
    nameIsFallback: true,
    otherNames: ['NC Corporation'],
    tickers: ['036570.KS'],
    tickersRefuted: ['036570.KQ'],
    fiscalYearEnd: '1231',
    exchange: 'KOSPI',
    registers: true,
  })
  expect(read('company.json', overview('K')).parsed[0].profile.tickers).toEqual(['036570.KQ'])
  expect(read('company.json', overview('E')).leftOut).toEqual({
    'an overview of a company that is listed on neither board': 1,
  })
})

test('the list of companies gives the listed ones, in Korean and English', async () => {
  const { parsed, leftOut } = await fixture('CORPCODE.xml')
  expect(
    parsed.map(({ profile }) => [profile.issuerId, profile.name, profile.otherNames, profile.tickers]),
  ).toEqual([
    ['00164779', 'SK하이닉스', ['SK hynix Inc.'], ['000660.KS', '000660.KQ']],
    ['00164742', '현대자동차', ['HYUNDAI MOTOR CO'], ['005380.KS', '005380.KQ']],
    ['00126380', '삼성전자', ['SAMSUNG ELECTRONICS CO,.LTD'], ['005930.KS', '005930.KQ']],
    ['01781999', '에임드바이오', ['Aimed Bio Inc.'], ['0009K0.KS', '0009K0.KQ']],
  ])
  expect(leftOut?.['a company without a stock code']).toBe(2)
})
