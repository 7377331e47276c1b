import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '../../../src/postgres/client.ts'
import { type EmbeddedCluster, openCluster } from '../../../src/postgres/embedded/cluster.ts'
import type { Finding } from '../../../src/postgres/integrity/damageQueries.ts'
import { beginPass, type OpenPass } from '../../../src/postgres/integrity/passQueries.ts'
import { type PassOptions, type PassResult, runPass } from '../../../src/postgres/integrity/runPass.ts'
import { migrate } from '../../../src/postgres/migrations.ts'

export const blockBytes = 8_192

/** A cluster of its own, whose files a test may damage while it is stopped. */
export class DamagedCluster {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'asfiled-damage-'))
  #cluster: EmbeddedCluster | null = null
  #sql: Sql | null = null

  get cluster(): EmbeddedCluster {
    if (this.#cluster === null) throw new Error('The cluster is stopped.')
    return this.#cluster
  }

  get sql(): Sql {
    if (this.#sql === null) throw new Error('The cluster is stopped.')
    return this.#sql
  }

  get folder(): string {
    return this.cluster.location.cluster
  }

  async start(): Promise<void> {
    this.#cluster = await openCluster(this.dataDir, () => {})
    this.#sql = connect({ url: this.#cluster.url, connections: 2, statementTimeoutMs: 60_000 })
    await migrate(this.#sql)
  }

  async stop(): Promise<void> {
    await this.#sql?.end({ timeout: 5 })
    await this.#cluster?.close()
    this.#sql = null
    this.#cluster = null
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  /** Stops the cluster, overwrites blocks of files, and starts it again: no page of it is in memory. */
  async damage(
    parts: readonly { relation: string; block: number; bytes: number; fork?: string }[],
  ): Promise<void> {
    const files: string[] = []
    for (const { relation, fork = '' } of parts) {
      const [{ path }] = await this.sql<{ path: string }[]>`
        select pg_relation_filepath(oid) as path from pg_class where relname = ${relation.replace(/^.*\./, '')}`
      files.push(join(this.folder, path + fork))
    }
    await this.stop()
    for (const [n, { block, bytes }] of parts.entries()) overwrite(files[n], block, bytes)
    await this.start()
  }

  /** A whole pass, as a command runs it. */
  async pass(options: Partial<PassOptions> = {}): Promise<PassResult & { readonly reported: Finding[] }> {
    const holder = crypto.randomUUID()
    const reported: Finding[] = []
    const pass: OpenPass | null = options.pass ?? (await beginPass(this.sql, holder, true))
    const result = await runPass({
      sql: this.sql,
      folder: this.folder,
      holder,
      hasStructure: true,
      bytesPerSecond: null,
      isThorough: false,
      maxIndexBytes: null,
      signal: new AbortController().signal,
      elapsedMs: () => performance.now(),
      report: (finding: Finding) => reported.push(finding),
      ...options,
      pass,
    })
    return { ...result, reported }
  }
}

/** The same garbage each time, which no page looks like. */
export function overwrite(path: string, block: number, bytes: number): void {
  const garbage = new Uint8Array(bytes)
  let state = 0x2545f491
  for (let n = 0; n < bytes; n++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    garbage[n] = state >>> 16
  }
  const file = openSync(path, 'r+')
  writeSync(file, garbage, 0, bytes, block * blockBytes)
  closeSync(file)
}

/** What a test compares of a finding. */
export const brief = ({ name, kind, foundBy, fork, firstBlock, lastBlock, blocks }: Finding) => ({
  name,
  kind,
  foundBy,
  fork,
  blocks,
  range: [firstBlock, lastBlock],
})
