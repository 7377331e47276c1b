import { connect } from '../../../src/postgres/client.ts'
import { claimPass } from '../../../src/postgres/integrity/passQueries.ts'
import { runPass } from '../../../src/postgres/integrity/runPass.ts'

/** A server's pass in a process that can be killed: `bun passProcess.ts URL FOLDER BYTES_PER_SECOND`. */
const [url, folder, bytesPerSecond] = process.argv.slice(2)
const sql = connect({ url, connections: 1, statementTimeoutMs: 0 })
const holder = crypto.randomUUID()
const pass = await claimPass(sql, { holder, everyHours: 1, structureHours: 1, isUrgent: false })
if (pass === null) throw new Error('There is no pass to run.')
await runPass({
  sql,
  folder,
  pass,
  holder,
  hasStructure: true,
  bytesPerSecond: Number(bytesPerSecond),
  isThorough: false,
  maxIndexBytes: null,
  signal: new AbortController().signal,
  elapsedMs: () => performance.now(),
  report: () => {},
})
await sql.end()
