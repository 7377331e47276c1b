import type { Sql } from '../../src/postgres/client.ts'

/** Every served row as text, with names in place of numbers, sorted. */
export async function storedFacts(sql: Sql): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select concat_ws('|', e.issuer_id, m.name, f.fp, f.fy, u.name, coalesce(t.name, '-'),
      coalesce(f.period_start::text, '-'), f.period_end, f.filed, f.superseded, coalesce(l.accepted_at::text, '-'),
      f.value, f.period_rounded, l.accession) as row
    from fact f join entity e using (entity_id) join metric m using (metric_id) join unit u using (unit_id)
    left join tag t using (tag_id) left join filing l on l.filing_id = f.filing_id
    order by 1`
  return rows.map(row => row.row)
}

export async function storedRepeats(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from fact_repeat`
  return row.count
}

/** What each derived row was made of, as text. */
export async function storedProvenance(sql: Sql): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select concat_ws('|', e.issuer_id, m.name, f.fp, f.period_end, f.filed, coalesce(f.earlier_since::text, '-'),
      array(select i.accession from filing i where i.filing_id = any(f.inputs) order by 1)) as row
    from fact f join entity e using (entity_id) join metric m using (metric_id)
    where f.tag_id is null
    order by 1`
  return rows.map(row => row.row)
}
