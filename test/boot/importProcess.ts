import { importRegister } from '../../src/ingest/import/importRegister.ts'
import { usRegister } from '../../src/ingest/registers/us/register.ts'
import { connect } from '../../src/postgres/client.ts'
import { openCluster } from '../../src/postgres/embedded/cluster.ts'

/* What `asfiled import us` does, in batches so small that a small corpus has several. Arguments: data folder, files, --bulk. */
const [folder = '', path = '', flag] = process.argv.slice(2)
const cluster = await openCluster(folder, () => {})
const sql = connect({ url: cluster.url, connections: 4, statementTimeoutMs: 60_000 })
const files = { paths: [path], observedOn: '2026-01-01', isBulk: flag === '--bulk', factsPerBatch: 4_000 }
await importRegister(sql, usRegister, files, () => {})
await sql.end()
await cluster.close()
