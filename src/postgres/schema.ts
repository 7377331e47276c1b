import type { SqlClient } from './client.ts'

/**
 * The schema as sorted lines: every column, constraint, index, function and trigger of our tables, in words
 * that are the same in all supported versions of PostgreSQL.
 */
export async function readSchema(sql: SqlClient): Promise<string[]> {
  const [{ schema }] = await sql<{ schema: string }[]>`select current_schema() || '.' as schema`
  const rows = await sql<{ line: string }[]>`
    with own as (
      select c.oid, c.relname from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'migration'
    )
    select format('column %s.%s %s%s%s', t.relname, a.attname, format_type(a.atttypid, a.atttypmod),
             case when a.attnotnull then ' not null' else '' end,
             case when a.attidentity <> '' then ' identity'
                  when a.attgenerated <> '' then ' generated ' || pg_get_expr(d.adbin, d.adrelid)
                  else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end) as line
    from own t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
    union all
    select format('constraint %s %s %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
    from own t join pg_constraint c on c.conrelid = t.oid and c.contype in ('c', 'f', 'p', 'u')
    union all
    select format('index %s', pg_get_indexdef(i.indexrelid))
    from own t join pg_index i on i.indrelid = t.oid and i.indisvalid
    where not exists (select from pg_constraint c where c.conindid = i.indexrelid)
    union all
    select format('trigger %s', pg_get_triggerdef(g.oid))
    from own t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
    union all
    -- The text of a body that the server keeps parsed differs between versions of PostgreSQL.
    select format('function %s(%s) %s %s', p.proname, pg_get_function_identity_arguments(p.oid),
             pg_get_function_result(p.oid), md5(p.prosrc))
    from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
  return rows.map(({ line }) => line.replaceAll(schema, '').replaceAll(/\s+/g, ' ')).sort()
}
