import type { InnocentTimes } from './innocents.ts'

/** The measurements of the innocents during one kind of abuse. */
export interface Window {
  /** A kind of abuse, or `all`. */
  readonly name: string
  readonly about: string
  readonly innocents: Readonly<Record<string, InnocentTimes>>
  /** How often the abusers saw each outcome. */
  readonly abuse: Readonly<Record<string, number>>
}

interface Cell {
  readonly innocent: string
  readonly requests: number
  readonly errors: number
  readonly firstError: string | null
  readonly p50Ms: number
  readonly p99Ms: number
  readonly idleP50Ms: number
  readonly idleP99Ms: number
  readonly isMet: boolean
}

export interface WindowOutcome {
  readonly name: string
  readonly about: string
  readonly abuse: Readonly<Record<string, number>>
  readonly cells: readonly Cell[]
  readonly isMet: boolean
}

/** Under abuse, the median may be at most this many times the idle server's median. The same holds for the p99. */
export const maxRatio = 3
/** Nobody notices a shorter delay, so a fast request may always take this long. The abusers share the machine with the
 * server, which slows it down in any case. */
export const unnoticedMs = 50

/** A quantile of the times. */
export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Joins two windows of one kind into one. */
export function joinWindows(one: Window, other: Window): Window {
  const joined = Object.entries(one.innocents).map(([name, { times, errors }]) => [
    name,
    {
      times: [...times, ...other.innocents[name].times],
      errors: [...errors, ...other.innocents[name].errors],
    },
  ])
  return { ...one, innocents: Object.fromEntries(joined) }
}

/** Compares a window with the idle one. Errors are never allowed. */
export function judge({ name, about, innocents, abuse }: Window, idle: Window['innocents']): WindowOutcome {
  const cells = Object.entries(innocents).map(([innocent, { times, errors }]) => {
    const [p50Ms, p99Ms] = [quantile(times, 0.5), quantile(times, 0.99)]
    const idleTimes = idle[innocent].times
    const [idleP50Ms, idleP99Ms] = [quantile(idleTimes, 0.5), quantile(idleTimes, 0.99)]
    return {
      innocent,
      requests: times.length,
      errors: errors.length,
      firstError: errors[0] ?? null,
      p50Ms,
      p99Ms,
      idleP50Ms,
      idleP99Ms,
      isMet: errors.length === 0 && isFast(p50Ms, idleP50Ms) && isFast(p99Ms, idleP99Ms),
    }
  })
  return { name, about, abuse, cells, isMet: cells.every(({ isMet }) => isMet) }
}

const isFast = (ms: number, idleMs: number) => ms <= Math.max(unnoticedMs, maxRatio * idleMs)

const intro =
  'How thirteen kinds of abuse, one at a time and then all at once, affect paid, innocent requests on one machine. This file is the output of the last `bun bench/abuse/run.ts`.'

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))

/** The report as Markdown.
 *
 * @param idle the window without abuse, judged against itself */
export function abuseReport(
  idle: WindowOutcome,
  outcomes: readonly WindowOutcome[],
  machine: string,
): string {
  const missed = outcomes.filter(({ isMet }) => !isMet)
  const verdict =
    missed.length === 0 && idle.isMet
      ? '**Passed**: during every kind of abuse, all innocent requests were answered in time.'
      : `**Failed**: ${[idle, ...outcomes].flatMap(faultsOf).join('; ')}.`
  const bar = `The bars: no innocent request fails, and its p50 and p99 beside abuse are at most ${maxRatio} times those of the idle server, or ${unnoticedMs} ms. Times are measured from the moment at which the request was due.`
  const summary = [
    '| beside | innocent requests | errors | worst p50, times idle | worst p99, times idle | backtest p99, times idle median | bars |',
    '|---|---|---|---|---|---|---|',
    ...outcomes.map(summaryRow),
  ]
  return [
    '# Innocents beside abuse',
    '',
    intro,
    '',
    machine,
    '',
    verdict,
    '',
    bar,
    '',
    ...summary,
    '',
    ...[idle, ...outcomes].flatMap(section),
  ].join('\n')
}

/** Lists the measurements that missed their limits. */
export function faultsOf({ name, cells }: WindowOutcome): string[] {
  return cells
    .filter(({ isMet }) => !isMet)
    .map(({ innocent, errors, p50Ms, p99Ms }) =>
      errors > 0
        ? `${name}, ${innocent}: ${errors} errors`
        : `${name}, ${innocent}: p50 ${ms(p50Ms)} ms, p99 ${ms(p99Ms)} ms`,
    )
}

function summaryRow({ name, cells, isMet }: WindowOutcome): string {
  const sum = (of: (cell: Cell) => number) => cells.reduce((all, cell) => all + of(cell), 0)
  const worst = (of: (cell: Cell) => number) => Math.max(...cells.map(of)).toFixed(1)
  const backtest = cells.find(({ innocent }) => innocent.startsWith('backtest'))
  const ofMedian = backtest === undefined ? '' : (backtest.p99Ms / backtest.idleP50Ms).toFixed(1)
  const p50 = worst(({ p50Ms, idleP50Ms }) => p50Ms / idleP50Ms)
  const p99 = worst(({ p99Ms, idleP99Ms }) => p99Ms / idleP99Ms)
  return `| ${name} | ${sum(cell => cell.requests)} | ${sum(cell => cell.errors)} | ${p50} | ${p99} | ${ofMedian} | ${isMet ? 'met' : '**missed**'} |`
}

function section({ name, about, abuse, cells }: WindowOutcome): string[] {
  const outcomes = Object.entries(abuse).map(([outcome, count]) => `${outcome} × ${count}`)
  return [
    ...[`## ${name}`, '', `${about}.`, ''],
    ...(outcomes.length === 0 ? [] : [`The abusers got: ${outcomes.join(', ')}.`, '']),
    '| innocent | requests | errors | p50 | p99 | times idle p50 | times idle p99 | |',
    '|---|---|---|---|---|---|---|---|',
    ...cells.map(
      ({ innocent, requests, errors, p50Ms, p99Ms, idleP50Ms, idleP99Ms, isMet }) =>
        `| ${innocent} | ${requests} | ${errors} | ${ms(p50Ms)} ms | ${ms(p99Ms)} ms | ${(p50Ms / idleP50Ms).toFixed(1)} | ${(p99Ms / idleP99Ms).toFixed(1)} | ${isMet ? 'met' : '**missed**'} |`,
    ),
    '',
    ...cells
      .filter(({ firstError }) => firstError !== null)
      .flatMap(({ innocent, firstError }) => [
        `The first error of ${innocent}: \`${firstError?.replaceAll('`', "'").replaceAll('\n', ' ')}\``,
        '',
      ]),
  ]
}
