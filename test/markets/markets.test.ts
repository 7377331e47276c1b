import { afterEach, describe, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Failure } from '../../src/errors.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { nonEmpty } from '../nonEmpty.ts'

const shipped = resolve(import.meta.dir, '../../manifests')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** The shipped manifests with one of them changed. */
async function faultsOf(file: string, change: (text: string) => string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'asfiled-manifests-'))
  folders.push(folder)
  cpSync(shipped, folder, { recursive: true })
  writeFileSync(join(folder, file), change(readFileSync(join(folder, file), 'utf8')))
  try {
    await loadMarkets(folder)
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
  return 'none'
}

describe('the shipped manifests', () => {
  test('cover the eight markets of the specification', async () => {
    const markets = await loadMarkets()
    expect(markets.codes).toEqual(['BE', 'DK', 'FR', 'JP', 'KR', 'NZ', 'TW', 'US'])
    expect(markets.get('US')?.status).toBe('served')
    expect(markets.get('XX')).toBeUndefined()
  })

  // Decisions, section 4.
  test('contain the canonical metrics and ratios, and year-to-date figures where a register states them', async () => {
    const { metrics } = await loadMarkets()
    const canonical =
      'revenue gross_profit operating_income net_income eps eps_diluted assets current_assets cash liabilities current_liabilities equity operating_cash_flow shares_outstanding'
    const ratios =
      'net_margin roe roa debt_to_equity asset_turnover gross_margin operating_margin current_ratio'
    for (const name of `${canonical} ${ratios}`.split(' ')) expect(metrics.has(name)).toBe(true)
    expect(metrics.get('revenue_ytd')?.markets).toEqual(['DK', 'KR', 'TW', 'US'])
    expect(metrics.has('assets_ytd')).toBe(false)
    expect(metrics.get('cash')?.markets).not.toContain('TW')
  })

  test('never use a Belgian or Danish gross margin as revenue, and state this', async () => {
    const markets = await loadMarkets()
    expect(markets.get('BE')?.reporting_basis.revenue).toContain('9900')
    expect(markets.get('BE')?.reporting_basis.revenue).toContain('never as revenue')
    expect(markets.get('DK')?.reporting_basis.revenue).toContain('never as revenue')
  })

  test('label every cost component as statutory or assumption, and have correct sums', async () => {
    const markets = await loadMarkets()
    for (const manifest of nonEmpty(markets.manifests)) {
      expect(manifest.costs.components.some(part => part.kind === 'statutory')).toBe(true)
      expect(markets.costs.roundTripBps(manifest.code)).toBe(manifest.costs.round_trip_bps)
    }
  })
})

describe('the table of costs', () => {
  test('uses the default for a row without a market or with an unknown one, and marks it', async () => {
    const { costs } = await loadMarkets()
    expect(costs.roundTripBps('HK')).toBe(costs.plain.standard.roundTripBps)
    expect(costs.roundTripBps(null)).toBe(costs.plain.standard.roundTripBps)
    expect(Object.keys(costs.plain.markets).length).toBe(8)
    expect(costs.describe('HK')).toMatchObject({ market: 'HK', isDefault: true })
    expect(costs.describe('US')).toMatchObject({ market: 'US', isDefault: false })
  })

  // Order Making Fiscal Year 2026 Annual Adjustments to Transaction Fee Rates, Release No. 34-104909:
  // USD 20.60 per million of covered sales, 0.206 basis points of one side.
  test('contains the SEC fee on sales at the rate of its order', async () => {
    const { costs } = await loadMarkets()
    expect(costs.describe('US').source).toContain('SEC Section 31 fee (sell, 0.206 bps)')
    expect(costs.describe('US').source).toContain('34-104909')
  })
})

describe('an invalid manifest is reported with its file and path', () => {
  const cases: [string, string, (text: string) => string, string][] = [
    ['not YAML', 'jp.yaml', () => 'a: [1', 'jp.yaml: not YAML'],
    ['a missing field', 'fr.yaml', text => text.replace(/^currency:.*$/m, ''), 'fr.yaml: /currency'],
    ['an unknown field', 'dk.yaml', text => `${text}\ncolour: red\n`, 'dk.yaml: /colour'],
    ['a code of another file', 'tw.yaml', text => text.replace('code: TW', 'code: HK'), 'tw.yaml: /code'],
    ['a wrong sum of costs', 'us.yaml', text => text.replace('5.206', '4'), 'us.yaml: /costs/round_trip_bps'],
    [
      'an example that is not an ID',
      'nz.yaml',
      text => text.replace('CC20421.NZ', '20421'),
      'nz.yaml: /id/example',
    ],
    [
      'an invalid pattern',
      'kr.yaml',
      text => text.replace('"^(\\\\d{8})$"', '"^("'),
      'kr.yaml: /issuer/pattern',
    ],
    [
      'an unlabelled assumption',
      'be.yaml',
      text => text.replaceAll('"Assumption:', '"We think:'),
      'be.yaml: /costs/components/1',
    ],
    [
      'a metric name that is already used',
      'us.yaml',
      text => text.replace('name: goodwill', 'name: assets'),
      'us.yaml: /metrics/',
    ],
    [
      'an invalid address',
      'kr.yaml',
      text => text.replace('address: https://', 'address: ftp://'),
      'kr.yaml: /sync/address',
    ],
    [
      'a request rate that is too high',
      'jp.yaml',
      text => text.replace('requests_per_second: 1', 'requests_per_second: 100'),
      'jp.yaml: /sync/requests_per_second',
    ],
    [
      'a request rate that is too low',
      'tw.yaml',
      text => text.replace('requests_per_second: 0.5', 'requests_per_second: 0.0001'),
      'tw.yaml: /sync/requests_per_second: must be at least one request per hour',
    ],
    ['a default without costs', 'default.yaml', () => 'description: none', 'default.yaml: /costs'],
  ]
  for (const [what, file, change, expected] of cases) {
    test(what, async () => expect(await faultsOf(file, change)).toContain(expected))
  }

  test('reports all faults of all files at once', async () => {
    const message = await faultsOf('us.yaml', text =>
      text.replace('5.206', '4').replace('name: goodwill', 'name: assets'),
    )
    expect(message.split('\n').length).toBeGreaterThan(2)
  })
})
