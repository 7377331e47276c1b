import { factorRequest, readFactorFile } from '../backtest/factors/factorFile.ts'
import type { BacktestFactors } from '../backtest/requestFactors.ts'
import type { BacktestResult } from '../backtest/result.ts'
import { Failure } from '../errors.ts'
import { loadRows, openInput, readInput } from './inputFile.ts'

/** How `--factors` explain the record, by other options. */
export interface FactorFlags {
  readonly factorEntryLag?: number
  readonly factorLags?: number
  readonly factorWindow?: number
}

/** The value of `--factors`: a file of Kenneth French's data library, or CSV of date and factors. */
export async function readFactors(
  option: string,
  { factorEntryLag: entryLag, factorLags: lags, factorWindow: window }: FactorFlags = {},
): Promise<BacktestFactors> {
  if (option === '-')
    throw new Failure('parameter_invalid', '--factors cannot be read from standard input. Give a file.')
  const file = await openInput(option).catch(error => {
    throw error instanceof Failure
      ? new Failure(error.code, `--factors: ${error.message}`, { cause: error })
      : error
  })
  const rows = await readInput(file, () => {})
  try {
    const text = new TextDecoder().decode(await loadRows(rows.body, file.name))
    return {
      ...factorRequest(readFactorFile(text, file.name)),
      ...(entryLag === undefined ? {} : { entryLag }),
      ...(lags === undefined ? {} : { lags }),
      ...(window === undefined ? {} : { window }),
    }
  } finally {
    await rows.discard()
  }
}

/** A bound on the beta of a factor. */
export interface BetaBound {
  readonly factor: string
  readonly bound: number
}

/** Reads one NAME=x of `--fail-above-abs-beta`, which may be given several times. */
export function parseBetaBound(text: string, before: readonly BetaBound[] = []): readonly BetaBound[] {
  const at = text.lastIndexOf('=')
  const [factor, digits] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  const bound = Number(digits)
  if (at < 1 || factor === '' || digits === '' || !(bound >= 0) || !Number.isFinite(bound))
    throw new Failure(
      'parameter_invalid',
      `--fail-above-abs-beta: ${JSON.stringify(text)} is not a factor and a number of at least 0, such as Mkt-RF=0.1.`,
    )
  return [...before, { factor, bound }]
}

/** The size of a beta; null if it cannot be computed. A name that no factor has is a mistake, not a shortfall. */
export function absBetaOf({ factors }: BacktestResult, factor: string): number | null {
  const names = factors?.betas.map(({ factor: name }) => name) ?? []
  const found = factors?.betas.find(({ factor: name }) => name === factor)
  if (found !== undefined) return found.beta === null ? null : Math.abs(found.beta)
  throw new Failure(
    'parameter_invalid',
    `--fail-above-abs-beta names ${factor}, but ${names.length === 0 ? 'there are no factors. Give --factors' : `the factors are ${names.join(', ')}`}.`,
  )
}
