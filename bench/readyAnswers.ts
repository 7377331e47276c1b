import { parseArgs } from 'node:util'
import { openDatabase } from '../src/boot/database.ts'
import { readConfig } from '../src/config.ts'
import { sweepReadyAnswers } from '../src/ingest/store/readyQueries.ts'

const help = `Usage: bun bench/readyAnswers.ts [--data-dir DIR] [--slice N]

Makes the ready answers that a database lacks without a pause; a server pauses for as long as it works. DATABASE_URL can name a
database instead of --data-dir. Prints how long it took and how much disk they take.

  --slice N   companies of a statement (200)`

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    slice: { type: 'string', default: '200' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (values.help) {
  console.log(help)
  process.exit(0)
}
const env = values['data-dir'] === undefined ? {} : { DATA_DIR: values['data-dir'], DATABASE_URL: '' }
const database = await openDatabase(readConfig({ ...process.env, ...env }), 0, () => {})
try {
  const { sql } = database
  const startedAt = performance.now()
  const before = await count()
  while (await sweepReadyAnswers(sql, Number(values.slice)));
  const seconds = (performance.now() - startedAt) / 1_000
  const { rows, histories, bytes } = await count()
  const made = rows - before.rows
  console.log(`${made} made in ${seconds.toFixed(0)} s, ${((seconds / made) * 1e6).toFixed(0)} us each`)
  console.log(
    `${rows} rows, ${histories} with a history; ${(bytes / rows).toFixed(0)} bytes each with the index`,
  )

  async function count(): Promise<{ rows: number; histories: number; bytes: number }> {
    const [row] = await sql<{ rows: number; histories: number; bytes: number }[]>`
      select count(*)::float8 as rows, count(history)::float8 as histories,
             pg_total_relation_size('ready_answer')::float8 as bytes from ready_answer`
    return row
  }
} finally {
  await database.close()
}
