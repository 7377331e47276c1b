import { expect, test } from 'bun:test'
import { readJoinBody } from '../../../src/backtest/asOf/joinBody.ts'
import type { JoinFormat } from '../../../src/backtest/asOf/request.ts'
import { dayNumber, registerFormats } from '../../../src/dates.ts'
import { Failure } from '../../../src/errors.ts'
import { rounds } from '../../rounds.ts'

registerFormats()

/* FUZZ_CASES=1000000 for a long run: it takes about a minute. */
const cases = Number(process.env.FUZZ_CASES ?? rounds(7_000, 20_000))

/** Park and Miller's generator: the same bodies in every run. */
let state = 20_260_101
function below(n: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % n
}
const pick = <T>(list: readonly T[]): T => list[below(list.length)]

const dates = ['2010-01-26', '2009-02-28', '0001-01-01', '2026-11-21', '2024-02-29']
const badDates = [
  '2010-02-30',
  '2026-11-22',
  '9999-12-31',
  '2010-1-2',
  '',
  '20100126',
  'null',
  '2010-01-26T00:00:00',
]
const tickers = ['AAPL', '2330.TW', 'brk.b', 'Ünï', '"quoted"', 'a,b', ' ', '=1+1', 'x'.repeat(64)]
const badTickers = ['', 'x'.repeat(65)]

interface Row {
  readonly date: string
  readonly ticker: string
}

function row(isGood: boolean): Row {
  const breaksDate = !isGood && below(2) === 0
  return {
    date: breaksDate ? pick(badDates) : pick(dates),
    ticker: !isGood && !breaksDate ? pick(badTickers) : pick(tickers),
  }
}

const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const write: Record<'json' | 'csv' | 'ndjson', (rows: readonly Row[]) => string> = {
  json: rows =>
    JSON.stringify({
      rows: { date: rows.map(({ date }) => date), ticker: rows.map(({ ticker }) => ticker) },
      metrics: ['roe'],
    }),
  csv: rows => `date,ticker\n${rows.map(({ date, ticker }) => `${date},${cell(ticker)}\n`).join('')}`,
  ndjson: rows => rows.map(line => `${JSON.stringify(line)}\n`).join(''),
}
const formats = ['json', 'csv', 'ndjson'] as const

const read = (bytes: Uint8Array<ArrayBuffer>, format: JoinFormat) =>
  readJoinBody({
    body: bytes,
    format,
    query: format === 'json' ? {} : { metrics: ['roe'] },
    today: '2026-11-20',
  })

/** Changes some bytes: most of what comes out is no longer a body. */
function damage(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const damaged = Array.from(bytes)
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(damaged.length + 1)
    const byte = pick([0x22, 0x2c, 0x0a, 0x0d, 0x5b, 0x7d, 0x5c, 0x00, 0xff, 0xc3, below(256)])
    damaged.splice(at, below(3), ...(below(2) === 0 ? [] : [byte]))
  }
  return Uint8Array.from(damaged)
}

test(`of ${cases.toLocaleString('en')} bodies every good one is read as it is, and every bad one is refused with its place`, async () => {
  const seen = { good: 0, bad: 0, damaged: 0, unreadable: 0 }
  for (let i = 0; i < cases; i++) {
    const format = pick(formats)
    const isGood = below(3) > 0
    const rows = Array.from({ length: 1 + below(6) }, () => row(true))
    if (!isGood) rows[below(rows.length)] = row(false)
    const bytes = new TextEncoder().encode(write[format](rows))
    if (below(2) === 0) {
      seen.damaged++
      const failed = await read(damage(bytes), format).then(
        () => null,
        (error: unknown) => error,
      )
      if (failed === null) continue
      seen.unreadable++
      if (!(failed instanceof Failure)) throw failed
      expect(failed.code).not.toBe('internal')
      continue
    }
    if (isGood) {
      seen.good++
      const { rows: found } = await read(bytes, format)
      expect(found.count).toBe(rows.length)
      expect(Array.from(found.day)).toEqual(rows.map(({ date }) => dayNumber(date)))
      expect(Array.from(found.name, name => found.names[name])).toEqual(rows.map(({ ticker }) => ticker))
      continue
    }
    seen.bad++
    const failed = await read(bytes, format).then(
      () => null,
      (error: unknown) => error,
    )
    if (!(failed instanceof Failure)) throw new Error(`read ${new TextDecoder().decode(bytes)}`)
    expect(['parameter_invalid', 'body_invalid']).toContain(failed.code)
    expect(failed.details.param).toBeString()
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(cases / 20)
}, 600_000)
