import type { BacktestDropped } from '../model/backtestResult.ts'
import { count } from './figures.ts'

const words: readonly { readonly key: keyof BacktestDropped; readonly one: string; readonly many: string }[] =
  [
    {
      key: 'rows_over_limit',
      one: 'row of an early date was left out by source.limit',
      many: 'rows of early dates were left out by source.limit',
    },
    {
      key: 'rows_off_step',
      one: 'row was stepped over, because the returns of neighbouring dates overlap',
      many: 'rows were stepped over, because the returns of neighbouring dates overlap',
    },
    {
      key: 'rows_without_score',
      one: 'row had no score and could not be ranked',
      many: 'rows had no score and could not be ranked',
    },
    {
      key: 'rows_without_return',
      one: 'ranked row had no known return',
      many: 'ranked rows had no known return',
    },
    {
      key: 'held_without_return',
      one: 'time a held name earned 0 for want of a return',
      many: 'times a held name earned 0 for want of a return',
    },
  ]

/** What was left out or earned nothing, one sentence each; empty where nothing was. */
export function droppedWords(dropped: BacktestDropped): string[] {
  return words
    .filter(({ key }) => dropped[key] > 0)
    .map(({ key, one, many }) => `${count(dropped[key])} ${dropped[key] === 1 ? one : many}.`)
}
