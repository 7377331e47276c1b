import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addDays } from '../../src/dates.ts'
import { sellKey } from '../http/callers.ts'
import { type RealServer, realServer } from '../http/realServer.ts'
import { testToday } from '../http/testServer.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { findPython } from '../python.ts'
import { blocksOf } from './blocks.ts'

/** The guide defines as-of joins in words and in a program over lists of figures. The program is taken out of the guide and compared with the
 * join, on random dates and companies of the shipped sample. */

setDefaultTimeout(240_000)

const folder = mkdtempSync(join(tmpdir(), 'asfiled-join-'))
const python = findPython('pandas')
const found = (await blocksOf('docs/joins-and-mirrors.md')).filter(({ language }) => language === 'python')
const program = found.map(({ text }) => text).find(text => text.includes('def as_of(')) ?? ''

let server: RealServer
beforeAll(async () => {
  if (python !== null) server = await realServer()
}, 120_000)
afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 180_000)

const periods = ['FY', 'Q', 'TTM', 'latest'] as const
const metrics = [
  'revenue',
  'net_income',
  'assets',
  'eps',
  'net_margin',
  'current_ratio',
  'shares_outstanding',
] as const
const firstDay = '2009-06-01'

/** A stream of numbers in [0, 1) by Park and Miller. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

interface Question {
  readonly ticker: string
  readonly metric: string
  readonly fp: (typeof periods)[number]
  readonly inclusive: boolean
  readonly max_age_days?: number
  readonly dates: readonly string[]
  /** Of the caller. */
  readonly key: string
}

type Cell = readonly [number | null, string | null, string | null]

const harness = `
import json
exec(open("program.py").read().split("\\nrows = ")[0])
show = lambda day: None if pd.isna(day) else str(day.date())
for q in json.load(open("questions.json")):
    rows = pd.DataFrame({"date": pd.to_datetime(q["dates"])})
    found = as_of(rows, q["ticker"], q["metric"], q["fp"], q["inclusive"], q.get("max_age_days"), q["key"])
    cells = zip(found.v, found.end, found.filed)
    print(json.dumps([[None if pd.isna(v) else float(v), show(end), show(filed)] for v, end, filed in cells]))
`

async function rebuilt(questions: readonly Question[]): Promise<Cell[][]> {
  if (python === null) throw new Error('no Python')
  writeFileSync(join(folder, 'program.py'), program.replace('http://localhost:3000', server.url))
  writeFileSync(join(folder, 'harness.py'), harness)
  writeFileSync(join(folder, 'questions.json'), JSON.stringify(questions))
  // Not runPython: the server of this process answers meanwhile.
  const child = Bun.spawn([python, 'harness.py'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect({ code: await child.exited, err }).toEqual({ code: 0, err: '' })
  return out
    .trim()
    .split('\n')
    .map((line): Cell[] => JSON.parse(line))
}

const settingsOf = ({ metric, fp, inclusive, max_age_days }: Question) => ({
  metrics: [metric],
  fp,
  inclusive,
  with: ['end', 'filed'],
  ...(max_age_days === undefined ? {} : { max_age_days }),
})

async function joined(question: Question): Promise<Cell[]> {
  const { dates, ticker, metric, key } = question
  const response = await fetch(`${server.url}/api/v1/as-of`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ rows: { date: dates, ticker: dates.map(() => ticker) }, ...settingsOf(question) }),
  })
  const { columns, error } = await response.json()
  expect(error).toBeUndefined()
  return dates.map(
    (_, i): Cell => [columns[metric][i], columns[`${metric}_end`][i], columns[`${metric}_filed`][i]],
  )
}

/** Dates on which something was filed, the days before and after them, and others. */
async function questionsOf(seed: number, count: number, key: string): Promise<Question[]> {
  const random = randomFrom(seed)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(random() * values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }
  const companies = await server.sql<{ ticker: string; days: string[] }[]>`
    select e.ticker, array_agg(distinct f.filed::text) as days
    from entity e join filing f using (entity_id) group by e.entity_id, e.ticker order by e.entity_id`
  // The few with long histories as often as the many with two reports.
  const long = companies.filter(({ days }) => days.length > 8)
  expect(long.length).toBeGreaterThan(3)
  return Array.from({ length: count }, () => {
    const { ticker, days } = pick(random() < 0.6 ? long : companies)
    const dates = Array.from({ length: 30 }, () => {
      const isNear = random() < 0.8
      const [from, within] = isNear ? [pick(days), 3] : [firstDay, 6_000]
      const date = addDays(from, Math.floor(random() * within))
      return date < testToday ? date : testToday
    })
    const age = pick([null, null, 100, 250, 500])
    return {
      ticker,
      dates,
      key,
      metric: pick(metrics),
      fp: pick(periods),
      inclusive: random() < 0.5,
      ...(age === null ? {} : { max_age_days: age }),
    }
  })
}

describe.skipIf(python === null)('the program of the guide', () => {
  test('has at most 40 lines', () => {
    expect(program.trimEnd().split('\n').length).toBeGreaterThan(10)
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  })

  test('gives the cells of the join: any kind of period, inclusive or not, with any bound of age', async () => {
    const key = await sellKey(server.sql)
    await server.sql`update key_grant set per_minute = 100000, per_day = null`
    const questions = await questionsOf(7, 150, key)
    const cells = await rebuilt(questions)
    expect(cells.length).toBe(questions.length)
    let found = 0
    const foundIn = new Set<string>()
    for (const [i, question] of nonEmpty(questions.entries())) {
      const ours = await joined(question)
      expect({ ...question, cells: ours }).toEqual({ ...question, cells: cells[i] ?? [] })
      const known = ours.filter(([value]) => value !== null).length
      found += known
      if (known > 0) foundIn.add(question.fp)
    }
    expect(found).toBeGreaterThan(500)
    expect([...foundIn].sort()).toEqual([...periods].sort())
  })
})
