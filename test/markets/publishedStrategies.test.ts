import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { strategyDefinitions } from '../../src/markets/strategies/definitions.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { sharedPath } from '../shared.ts'

const file = sharedPath('strategies/SignalDoc.csv')

const numberOf = (text: string) => (text === '' ? null : Number(text))

test.skipIf(file === null)('signs, samples, returns and t values are those of SignalDoc.csv', () => {
  const rows: Record<string, string>[] = parse(readFileSync(file ?? ''), { columns: true, bom: true })
  const published = strategyDefinitions.filter(definition => definition.published !== null)
  for (const { name, sign, published: record } of nonEmpty(published)) {
    const row = rows.find(({ Acronym }) => Acronym === record?.acronym)
    expect([name, row === undefined]).toEqual([name, false])
    if (row === undefined || record === null) continue
    expect<object>({
      name,
      authors: record.authors,
      year: record.year,
      journal: record.journal,
      from: record.sample_start_year,
      to: record.sample_end_year,
      t: record.t_value,
      return: record.return_pct,
      predictability: record.predictability,
      sign,
    }).toEqual({
      name,
      authors: row.Authors,
      year: Number(row.Year),
      journal: row.Journal,
      from: Number(row.SampleStartYear),
      to: Number(row.SampleEndYear),
      t: numberOf(row['T-Stat']),
      return: numberOf(row.Return),
      predictability: row['Predictability in OP'].replace(/^\d_/, ''),
      sign: Number(row.Sign),
    })
  }
})
