import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { registerFormats } from '../../../src/dates.ts'
import { parseTime } from '../../../src/markets/asOf.ts'
import { readBodyOf } from '../../features/asOfJoins/joinBench.ts'

registerFormats()

const two = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map(value => String(value).padStart(2, '0'))

const spelled = fc
  .record({
    year: fc.constantFrom('1999', '2000', '2010', '2024'),
    month: two(0, 13),
    day: two(0, 32),
    hour: two(0, 25),
    minute: two(0, 61),
    rest: fc.oneof(
      fc.constant(''),
      two(0, 61).map(second => `:${second}`),
      fc.constantFrom(':07.25', ':07,5', ':', ':7'),
    ),
  })
  .map(({ year, month, day, hour, minute, rest }) => `${year}-${month}-${day}T${hour}:${minute}${rest}`)
const offsets = fc.constantFrom(
  '',
  'Z',
  'z',
  '+00:00',
  '-00:00',
  '-05:00',
  '+0900',
  ' 09:00',
  '+14:59',
  '+15:00',
  '-5:00',
)

test.each(['json', 'csv'] as const)(
  'times in %s are read as the parameter as_of is',
  async format => {
    let read = 0
    await fc.assert(
      fc.asyncProperty(fc.array(spelled, { minLength: 1, maxLength: 4 }), offsets, async (times, offset) => {
        const sent = times.map(time => `${time}${offset}`)
        const truth = sent.map(parseTime)
        const body =
          format === 'json'
            ? JSON.stringify({ rows: { time: sent, ticker: sent.map(() => 'A') }, metrics: ['roe'] })
            : `time,ticker\n${sent.map(time => `"${time}",A`).join('\n')}\n`
        const reading = readBodyOf(body, format, format === 'json' ? {} : { metrics: ['roe'] })
        if (truth.includes(null)) {
          expect((await reading.catch((error: unknown) => error)) instanceof Error).toBe(true)
          return
        }
        const { times: found } = (await reading).rows
        for (const [row, time] of truth.entries()) {
          const value = (found?.cells[row] ?? 0) - 1
          expect([found?.ms[value], found?.forms[value]]).toEqual([
            (time?.local ?? 0) - (time?.offset ?? 0),
            time?.offset === null ? 1 : 0,
          ])
          read++
        }
      }),
      { numRuns: 3_000 },
    )
    expect(read).toBeGreaterThan(500)
  },
  60_000,
)
