import { addDays } from '../src/dates.ts'
import { insertVintages, makeRows, metrics } from './asOfJoin/data.ts'
import type { Figure } from './figure.ts'
import { scratchDatabase } from './scratchDatabase.ts'
import { postOk, type Service, withService } from './service/server.ts'

/** How many weeks early the values of every hundredth row are. */
const earlyWeeks = 40

/**
 * Audits 1.0 million rows (short: 200,000) with five columns of the companies of the join's benchmark, of which every
 * hundredth row looks ahead: as a job, from the request to the end, with cold and with warm figures. Every cell that was
 * known must be found to be known before any time counts.
 */
export async function benchAudit({ short = false } = {}): Promise<Figure[]> {
  const dates = short ? 40 : 200
  return scratchDatabase(async (sql, url) => {
    await insertVintages(sql)
    return withService(
      async service => {
        const key = await service.newKey()
        const { body, rows, early } = await makeBody(service, key, dates)
        const cold = await auditJob(service, key, body, 'html')
        const best = async (format: string) => {
          const times: number[] = []
          for (let run = 0; run < (short ? 2 : 3); run++)
            times.push(await auditJob(service, key, body, format))
          return Math.min(...times) / 1_000
        }
        const times = { report: await best('html'), csv: await best('csv'), parquet: await best('parquet') }
        const report = await lastReport(service, key, body)
        const { known, early: found, restated, stale } = report.counts
        if (known < (rows - early) * metrics.length) throw new Error(`Only ${known} cells are known.`)
        if (found + restated + stale === 0) throw new Error('No cell looks ahead.')
        const seconds = (name: string, value: number): Figure => ({ name: `audit.${name}`, value, unit: 's' })
        return [
          seconds('job_cold', cold / 1_000),
          ...Object.entries(times).map(([format, value]) => seconds(`job_${format}`, value)),
          { name: 'audit.rows', value: rows, unit: 'rows' as const },
        ]
      },
      { DATABASE_URL: url },
      'none',
    )
  })
}

type Columns = Record<string, (string | number | null)[]>

/** The rows with what was known, but for every hundredth, which shows what is known much later. */
async function makeBody(service: Service, key: string, dates: number) {
  const rows = makeRows(dates)
  const join = async (date: readonly string[]): Promise<Columns> =>
    JSON.parse(
      await postOk(service, 'as-of', { key, body: JSON.stringify({ rows: { ...rows, date }, metrics }) }),
    ).columns
  const known = await join(rows.date)
  const later = await join(rows.date.map(date => addDays(date, 7 * earlyWeeks)))
  const lines = ['date,ticker,assets,net_income,net_margin,revenue,roe']
  let early = 0
  for (let row = 0; row < rows.date.length; row++) {
    const isEarly = row % 100 === 0
    if (isEarly) early++
    const cells = metrics.map(metric => (isEarly ? later : known)[metric][row] ?? '')
    lines.push(`${rows.date[row]},${rows.ticker[row]},${cells.join(',')}`)
  }
  return { body: `${lines.join('\n')}\n`, rows: rows.date.length, early }
}

/** Milliseconds from the request to the end of the job. */
async function auditJob(service: Service, key: string, body: string, format: string): Promise<number> {
  const started = performance.now()
  await submit(service, key, body, format)
  return performance.now() - started
}

async function submit(service: Service, key: string, body: string, format: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${service.port}/api/v1/audits?format=${format}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv', Prefer: 'respond-async' },
    body,
  })
  const text = await response.text()
  if (response.status !== 202)
    throw new Error(`audits was answered ${response.status}: ${text.slice(0, 300)}`)
  const { id } = JSON.parse(text)
  for (;;) {
    const job = await (await get(service, key, `/api/v1/audits/${id}`)).json()
    if (job.state === 'succeeded') return id
    if (job.finished_at !== null) throw new Error(`The audit ${job.state}: ${JSON.stringify(job.error)}`)
    await Bun.sleep(20)
  }
}

const get = (service: Service, key: string, path: string) =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { Authorization: `Bearer ${key}` } })

async function lastReport(service: Service, key: string, body: string) {
  const id = await submit(service, key, body, 'html')
  const result = await (await get(service, key, `/api/v1/audits/${id}/result?format=json`)).json()
  return result as { counts: Record<string, number> }
}

if (import.meta.main) {
  for (const { name, value, unit } of await benchAudit({ short: process.argv.includes('--short') }))
    console.log(name, value, unit)
}
