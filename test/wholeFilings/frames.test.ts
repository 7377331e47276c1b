import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dayNumber, isoDate } from '../../src/dates.ts'
import { frameCode, frameEnd, frameName, frameOfPeriod, parseFrame } from '../../src/wholeFilings/frames.ts'
import { figureOfFrame } from '../../src/wholeFilings/readFrame.ts'
import type { ReportedFigure } from '../../src/wholeFilings/wholeFiling.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sharedPath } from '../shared.ts'

const codeOf = (name: string) => {
  const frame = parseFrame(name)
  if (frame === null) throw new Error(`${name} is not a frame`)
  expect(frameName(frame)).toBe(name)
  return frameCode(frame)
}
const period = (start: string | null, end: string) => ({
  start: start === null ? null : dayNumber(start),
  end: dayNumber(end),
  quarters: null,
})

interface Fact {
  readonly start?: string
  readonly end: string
  readonly frame?: string
}
interface CompanyFacts {
  readonly facts: Record<string, Record<string, { readonly units: Record<string, readonly Fact[]> }>>
}

const folder = sharedPath('registers/us/companyfacts')

test.skipIf(folder === null)('every figure of companyfacts is in the frame that the SEC names for it', () => {
  let compared = 0
  const others: Fact[] = []
  for (const file of nonEmpty(readdirSync(folder ?? '').filter(name => name.endsWith('.json')))) {
    const { facts }: CompanyFacts = JSON.parse(readFileSync(join(folder ?? '', file), 'utf8'))
    const all = Object.values(facts).flatMap(tags =>
      Object.values(tags).flatMap(tag => Object.values(tag.units)),
    )
    for (const fact of all.flat()) {
      if (fact.frame === undefined) continue
      compared++
      const ours = frameOfPeriod(period(fact.start ?? null, fact.end))
      if (ours !== codeOf(fact.frame)) others.push(fact)
    }
  }
  expect(compared).toBeGreaterThan(20_000)
  // The SEC counts durations of a month as instants.
  for (const { start = '', end, frame } of others)
    expect([dayNumber(end) - dayNumber(start) <= 31, frame]).toEqual([true, expect.stringMatching(/I$/)])
  expect(others.length).toBeLessThan(compared / 1_000)
})

describe('a frame', () => {
  test('ends on the last day of its quarter or year, and other names are none', () => {
    const ends = ['CY2009', 'CY2009Q1', 'CY2009Q2I', 'CY2000Q4I'].map(name => isoDate(frameEnd(codeOf(name))))
    expect(ends).toEqual(['2009-12-31', '2009-03-31', '2009-06-30', '2000-12-31'])
    for (const name of ['CY1989', 'CY2080', 'CY2009I', 'CY2009Q5', 'cy2009', 'CY2009Q1II', '2009'])
      expect([name, parseFrame(name)]).toEqual([name, null])
  })

  test('has durations of a data set by their quarters, and none of half a year', () => {
    const end = dayNumber('2009-06-30')
    const of = (quarters: number) => frameOfPeriod({ start: null, end, quarters })
    expect([of(0), of(1), of(2), of(3)]).toEqual([codeOf('CY2009Q2I'), codeOf('CY2009Q2'), null, null])
    // From July to June: the middle is the night to 2009-01-01, and 184 of 365 days are in 2008.
    expect(of(4)).toBe(codeOf('CY2008'))
  })
})

describe('the figure of a frame', () => {
  const figure = (
    end: string,
    value: string | null,
    decimals: number | null,
    unit = 'USD',
  ): ReportedFigure => ({
    concept: 'us-gaap:Assets',
    context: { ...period(null, end), dimensions: [] },
    unit,
    decimals,
    value,
  })
  const chosen = (...figures: ReportedFigure[]) =>
    figureOfFrame(figures, codeOf('CY2009Q4I'), 'USD')?.value ?? null

  test('is the most accurate one of the period that ends nearest to its end', () => {
    expect(
      chosen(figure('2009-11-30', '1', 0), figure('2009-12-27', '2', -6), figure('2009-12-27', '3', -3)),
    ).toBe('3')
    expect(chosen(figure('2009-12-31', '1', null), figure('2009-12-31', '2', -6))).toBe('2')
    expect(chosen(figure('2009-12-31', '2', -6), figure('2009-12-31', '2.1', Number.POSITIVE_INFINITY))).toBe(
      '2.1',
    )
  })

  test('is none if equally accurate ones differ, if it is nil, or in another unit or frame', () => {
    expect(chosen(figure('2009-12-31', '1', 0), figure('2009-12-31', '2', 0))).toBeNull()
    expect(chosen(figure('2009-12-31', '1', 0), figure('2009-12-31', '1', 0))).toBe('1')
    expect(chosen(figure('2009-12-31', null, 0))).toBeNull()
    expect(chosen(figure('2009-12-31', '1', 0, 'CAD'), figure('2009-09-30', '1', 0))).toBeNull()
  })
})
