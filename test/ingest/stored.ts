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

/** Every row that is stored and not served, of filings with a known day, as text. */
export async function storedRepeatRows(sql: Sql): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select concat_ws('|', e.issuer_id, m.name, f.fp, f.fy, u.name, t.name, coalesce(f.period_start::text, '-'), f.period_end,
      f.filed, f.value, f.period_rounded, l.accession) as row
    from fact_repeat f join entity e using (entity_id) join metric m using (metric_id) join unit u using (unit_id)
    join tag t using (tag_id) join filing l on l.filing_id = f.filing_id
    where f.filed <> 'infinity'
    order by 1`
  return rows.map(row => row.row)
}

/** Every dated filing with figures, and what it states of the company, as text. */
export async function storedFilings(sql: Sql): Promise<string[]> {
  const rows = await sql<{ row: string }[]>`
    select concat_ws('|', e.issuer_id, l.accession, l.form, l.filed, coalesce(l.accepted_at::text, '-'), l.figures,
      coalesce(l.fiscal_year_end, '-'), coalesce(l.company_name, '-'), coalesce(l.sector, '-')) as row
    from filing l join entity e using (entity_id)
    where l.figures > 0 and l.filed <> 'infinity'
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
