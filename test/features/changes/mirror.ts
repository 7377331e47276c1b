import { expect } from 'bun:test'
import { listChanges } from '../../../src/features/changes/changes.ts'
import type { ChangeField } from '../../../src/features/changes/schema.ts'
import type { Row } from '../../../src/formats/columns.ts'
import { loadMarkets, type Markets } from '../../../src/markets/markets.ts'
import type { Sql } from '../../../src/postgres/client.ts'
import { testCursors } from '../../cursors.ts'

export type MirrorRow = Row<ChangeField>

const markets: Markets = await loadMarkets()
/** All markets, as where the operator answers for their terms. */
export const manifests = markets.manifests

const keyOf = (row: MirrorRow) =>
  [row.entity, row.metric, row.fp, row.period_end, row.filed, row.accession].join(' ')

const withoutChange = ({ version: _, change: __, ...row }: MirrorRow): MirrorRow => row

/** A copy of the data that is maintained only from the feed, like a client's. */
export class Mirror {
  readonly rows = new Map<string, MirrorRow>()
  version = 0
  day: string | null = null
  changes: Record<string, number> = {}

  /** Begins with the rows of a bulk release. */
  load(rows: readonly MirrorRow[], version: number, day: string): void {
    for (const row of rows) this.rows.set(keyOf(row), row)
    this.version = version
    this.day = day
  }

  /** Applies one page, and returns the cursor of the next one. */
  apply(list: { data: readonly MirrorRow[]; next: string | null }): string | null {
    for (const row of list.data) {
      const change = String(row.change)
      this.changes[change] = (this.changes[change] ?? 0) + 1
      if (change === 'removed') this.rows.delete(keyOf(row))
      else if (change === 'renamed') this.#rename(row)
      else if (change === 'timed') this.#setTime(row)
      // Rows of the mirror have no symbols of a company.
      else if (change !== 'symbols') this.rows.set(keyOf(row), withoutChange(row))
    }
    return list.next
  }

  #setTime({ accession, accepted_at = null }: MirrorRow): void {
    for (const [key, row] of this.rows)
      if (row.accession === accession) this.rows.set(key, { ...row, accepted_at })
  }

  #rename({ entity, ticker }: MirrorRow): void {
    for (const [key, row] of this.rows) if (row.entity === entity) this.rows.set(key, { ...row, ticker })
  }

  sorted(): MirrorRow[] {
    return sorted([...this.rows.values()])
  }
}

export function sorted(rows: readonly MirrorRow[]): MirrorRow[] {
  const byKey = rows.map(row => [keyOf(row), row] as const)
  return byKey.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
}

/** The rows of the database as they are known on a day, written without a word of the feed. */
export async function truth(sql: Sql, day: string): Promise<MirrorRow[]> {
  const rows = await sql<(Omit<MirrorRow, 'accepted_at'> & { accepted_at: Date | null })[]>`
    select e.ticker, f.entity_id as entity, case when f.fp = 5 then left(m.name, -4) else m.name end as metric, f.fy,
           (array['FY', 'Q1', 'Q2', 'Q3', 'Q4', 'TTM'])[f.fp + 1] as fp, f.period_start, f.period_end, f.filed,
           case when f.superseded <= ${day} then f.superseded end as until, l.accession, f.value, u.name as unit, t.name as tag,
           case when f.tag_id is null then 'derived' else 'stated' end as kind, f.data_version, l.accepted_at
    from fact f join entity e using (entity_id) join metric m using (metric_id) join unit u using (unit_id)
    join filing l on l.filing_id = f.filing_id left join tag t on t.tag_id = f.tag_id
    where f.filed <= ${day}`
  return sorted(
    rows.map(row => ({
      ...row,
      accepted_at: row.accepted_at === null ? null : row.accepted_at.toISOString().replace('.000Z', 'Z'),
    })),
  )
}

interface SyncOptions {
  readonly day: string
  readonly limit: number
  /** Whether the day of the copy is sent. */
  readonly saysDay?: boolean
  /** Called after each page. */
  readonly meanwhile?: () => Promise<unknown>
}

/** Follows the feed to its end. Pages alternate between the servers, as behind a proxy. */
export async function follow(servers: readonly Sql[], mirror: Mirror, options: SyncOptions): Promise<void> {
  const { day, limit, saysDay = true, meanwhile } = options
  const { version: since } = mirror
  let cursor: string | null = null
  let last = { version: 0, day: '' }
  let page = 0
  do {
    const list = await listChanges(
      { sql: servers[page++ % servers.length], cursors: testCursors },
      {
        since,
        limit,
        ...(saysDay && mirror.day !== null ? { since_day: mirror.day } : {}),
        ...(cursor === null ? {} : { cursor }),
      },
      day,
      manifests,
    )
    expect(list.data.length).toBeLessThanOrEqual(limit)
    cursor = mirror.apply(list)
    last = { version: list.data_version, day: list.as_of }
    await meanwhile?.()
  } while (cursor !== null)
  mirror.version = last.version
  mirror.day = last.day
}
