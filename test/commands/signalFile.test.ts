import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readBody } from '../../src/backtest/codec/body.ts'
import { makePanelBody } from '../../src/backtest/panelFile/panelBody.ts'
import { readCsvSignals } from '../../src/backtest/panelFile/signalFile.ts'
import { buildArchive } from '../../src/backtest/pipeline/archiveDataset.ts'
import { buildPanelDataset } from '../../src/backtest/pipeline/panelDataset.ts'
import { runArchiveBacktest, runPanelBacktest } from '../../src/backtest/pipeline/runRequest.ts'
import { dayNumber, registerFormats } from '../../src/dates.ts'
import { Failure } from '../../src/errors.ts'
import { type Horizon, horizonDays } from '../../src/horizons.ts'
import { loadMarkets } from '../../src/markets/markets.ts'
import { packDays } from '../features/signals/signalDays.ts'

setDefaultTimeout(180_000)
registerFormats()

const header = 'date,ticker,market,horizon,predicted_pct,actual_pct'
const utf8 = (text: string) => new TextEncoder().encode(text)
const read = (lines: readonly string[], horizon?: Horizon) =>
  readCsvSignals(utf8(`${lines.join('\n')}\n`), horizon)

function refusal(lines: readonly string[], horizon?: Horizon): { code: string; message: string } {
  try {
    read(lines, horizon)
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error('not refused')
}

describe('a file of forecasts', () => {
  test('gives the numbers of the same backtest on a server’s archive, to the bit', async () => {
    const packed = await Bun.file(resolve(import.meta.dir, '../../sample/signals.csv.gz')).bytes()
    const bytes = new Uint8Array(gunzipSync(packed))
    const rows = new TextDecoder()
      .decode(bytes)
      .trim()
      .split('\n')
      .slice(1)
      .map(line => line.split(','))
    const { costs } = await loadMarkets()
    for (const horizon of ['7d'] as const) {
      const signals = rows
        .filter(row => row[3] === horizon)
        .map(([date, ticker, market, , predicted, actual]) => ({
          day: dayNumber(date),
          ticker,
          market,
          predicted: Number(predicted),
          actual: Number(actual),
        }))
      const config = { quantile: 0.2, holdDays: 2 * horizonDays(horizon) }
      const { data_version: _, ...truth } = runArchiveBacktest({
        data: buildArchive(packDays(signals)),
        dataVersion: 1,
        costs: costs.plain,
        request: { config, include: ['ic', 'monthly', 'positions'], source: { horizon } },
      })
      const body = await makePanelBody(
        { bytes, format: undefined, horizon },
        { config, include: ['ic', 'monthly', 'positions'] },
      )
      const request = readBody(body.bytes, 'json', body.query)
      if (request.panel === null) throw new Error('no rows')
      // The echoes of the two requests differ: one names the archive.
      const { source, request: _archive, ...onArchive } = truth
      expect(source?.horizon).toBe(horizon)
      const { request: _rows, ...onRows } = runPanelBacktest(
        buildPanelDataset(request.panel),
        request,
        costs.plain,
      )
      expect(onRows).toEqual(onArchive)
    }
  })

  test('has its columns in any order, quoted or not, with status and source', () => {
    const { columns, horizon } = read([
      'source,"market",ticker,date,actual_pct,predicted_pct,horizon,status',
      'live,US,"A",2024-01-02,.02,+0.01,7d,won',
      ',US,B,2024-01-02,-2e-2,-0,7d,',
    ])
    expect(horizon).toBe('7d')
    expect(columns).toEqual({
      date: ['2024-01-02', '2024-01-02'],
      asset: ['A', 'B'],
      market: ['US', 'US'],
      score: [0.01, -0],
      forward_return: [0.02, -0.02],
    })
  })

  test('of several horizons needs a choice, and the message names them', () => {
    const lines = [header, '2024-01-02,A,US,7d,0.1,0.2', '2024-01-02,A,US,1d,0.1,0.2']
    expect(refusal(lines)).toEqual({
      code: 'parameter_invalid',
      message: expect.stringMatching(/several horizons: 1d, 7d\. .*--horizon 1d/),
    })
    expect(read(lines, '7d').columns.date).toHaveLength(1)
    expect(refusal(lines, '3d')).toMatchObject({
      code: 'parameter_invalid',
      message: expect.stringContaining('1d, 7d only'),
    })
  })

  test('keeps a forecast whose outcome never came, and leaves out those after the last outcome', () => {
    const { columns, openRows, placeOf } = read([
      header,
      '2024-01-02,GONE,US,1d,0.1,',
      '2024-01-02,A,US,1d,0.1,0.2',
      '2024-01-04,A,US,1d,0.3,',
      '2024-01-03,A,US,1d,0.2,0.1',
      '2024-01-03,LATE,US,1d,0.2,',
    ])
    expect([columns.asset, columns.forward_return]).toEqual([
      ['GONE', 'A', 'A', 'LATE'],
      [null, 0.2, 0.1, null],
    ])
    expect([openRows, placeOf('asset', 3), placeOf('score', 0)]).toEqual([
      1,
      'line 6.ticker',
      'line 2.predicted_pct',
    ])
    expect(refusal([header, '2024-01-02,A,US,1d,0.1,']).message).toContain('No row has an outcome')
  })

  test('a ticker that two markets share is two names', () => {
    const lines = [
      header,
      '2024-01-02,A,US,1d,0.1,0.2',
      '2024-01-02,A,KR,1d,0.1,0.2',
      '2024-01-02,B,KR,1d,0.1,0.2',
    ]
    expect(read(lines).columns.asset).toEqual(['A:US', 'A:KR', 'B'])
  })

  test('a fault names its column or line', () => {
    expect(refusal([header.replace('ticker', 'name'), 'x']).message).toContain(
      'ticker is missing, "name" is unknown',
    )
    expect(refusal([`${header},status,status`, 'x']).message).toContain('status appears twice')
    expect(refusal([header, '2024-01-02,A,US,1d,0.1']).message).toContain('Line 2 has 5 cells')
    expect(refusal([header]).message).toContain('no rows')
    expect(refusal([header, '2024-01-02,A,US,5d,0.1,0.2']).message).toContain('horizon 5d is unknown')
  })
})
