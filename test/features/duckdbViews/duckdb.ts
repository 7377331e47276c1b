import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPython } from '../../python.ts'

export type Row = Readonly<Record<string, string | number | boolean | null>>
/** The rows of a query, or the message of the error with which it ended. */
export type QueryResult = readonly Row[] | string

const script = `
import datetime, json, sys
import duckdb
views, queries = sys.argv[1:3]
db = duckdb.connect()
for statement in sys.argv[3:]:
    db.execute(statement)
db.execute(open(views).read())
def plain(value):
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat()
    return value.isoformat() if hasattr(value, "isoformat") else value
for query in json.load(open(queries)):
    try:
        found = db.sql(query)
        rows = None if found is None else [dict(zip(found.columns, map(plain, row))) for row in found.fetchall()]
    except duckdb.Error as error:
        rows = str(error)
    print(json.dumps(rows))
`

/**
 * Runs a file of views and then queries with the duckdb package.
 *
 * @param before statements that run before the file
 */
export function runDuckdb(
  python: string,
  folder: string,
  views: string,
  queries: readonly string[],
  before: readonly string[] = [],
): readonly QueryResult[] {
  const paths = ['run_queries.py', 'views.sql', 'queries.json'].map(name => join(folder, name))
  for (const [index, text] of [script, views, JSON.stringify(queries)].entries())
    writeFileSync(paths[index], text)
  const out = runPython(python, folder, [...paths, ...before])
  return out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) ?? [])
}

export const rowsOf = (result: QueryResult): readonly Row[] => {
  if (typeof result === 'string') throw new Error(result)
  return result
}

/** A table of rows as DuckDB reads it. */
export const tableOf = (
  name: string,
  columns: string,
  rows: readonly (readonly (string | number)[])[],
): string =>
  `create or replace table ${name} as select * from (values ${rows
    .map(cells => `(${cells.map(cell => (typeof cell === 'number' ? cell : `'${cell}'`)).join(', ')})`)
    .join(', ')}) t (${columns})`
