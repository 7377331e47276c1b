import type { ScaleFigure } from './bounds.ts'
import type { Context } from './context.ts'

/** Counts the rows of the database and their size on disk. */
export async function facts(context: Context): Promise<ScaleFigure[]> {
  return context.withSql(async sql => {
    const [found] = await sql<
      {
        entities: number
        facts: number
        repeats: number
        filings: number
        factBytes: number
        heapBytes: number
        allBytes: number
      }[]
    >`
      select (select count(*) from entity)::float8 as entities, (select count(*) from fact)::float8 as facts,
             (select count(*) from fact_repeat)::float8 as repeats, (select count(*) from filing)::float8 as filings,
             pg_relation_size('fact')::float8 as "heapBytes", pg_total_relation_size('fact')::float8 as "factBytes",
             (select sum(pg_total_relation_size(oid)) from pg_class
              where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
             )::float8 as "allBytes"`
    const count = (name: string, value: number) => ({ name: `facts.${name}`, value, unit: 'rows' as const })
    const bytes = (name: string, value: number, more: object = {}) => ({
      name: `facts.${name}`,
      value: value / found.facts,
      unit: 'bytes/row' as const,
      ...more,
    })
    return [
      count('entities', found.entities),
      count('facts', found.facts),
      count('repeats', found.repeats),
      count('filings', found.filings),
      bytes('heap_bytes_a_fact', found.heapBytes),
      bytes('bytes_a_fact', found.factBytes, { max: 160 }),
      bytes('bytes_of_all_tables_a_fact', found.allBytes),
    ]
  })
}
