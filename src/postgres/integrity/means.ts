import type { SqlClient } from '../client.ts'

/** What a connection's role may use to inspect pages, and how the database stores them. */
export interface Means {
  readonly blockBytes: number
  /** Blocks per file; a larger relation has several files. */
  readonly segmentBlocks: number
  readonly hasChecksums: boolean
  /** pg_read_binary_file, which reads the database's files without its buffers. */
  readonly readsFiles: boolean
  /** pg_prewarm, which reads any page into PostgreSQL's buffers and so has it verified. */
  readonly prewarms: boolean
  /** verify_heapam, bt_index_check and gin_index_check of amcheck. */
  readonly checksTables: boolean
  readonly checksBtrees: boolean
  readonly checksGin: boolean
}

/** Functions of extensions, by purpose. Those in a schema outside of the search path count as missing. */
const functions = {
  readsFiles: 'pg_read_binary_file(text,bigint,bigint,boolean)',
  prewarms: 'pg_prewarm(regclass,text,text,bigint,bigint)',
  checksTables: 'verify_heapam(regclass,boolean,boolean,text,bigint,bigint)',
  checksBtrees: 'bt_index_check(regclass,boolean)',
  checksGin: 'gin_index_check(regclass)',
} as const

export async function readMeans(sql: SqlClient): Promise<Means> {
  const [storage] = await sql<{ blockBytes: number; segmentBlocks: number; hasChecksums: boolean }[]>`
    select max(setting) filter (where name = 'block_size')::int as "blockBytes",
      max(setting) filter (where name = 'segment_size')::int as "segmentBlocks",
      bool_or(name = 'data_checksums' and setting = 'on') as "hasChecksums"
    from pg_settings where name in ('block_size', 'segment_size', 'data_checksums')`
  const allowed = await sql<{ use: string }[]>`
    select use from unnest(${Object.keys(functions)}::text[], ${Object.values(functions)}::text[]) f (use, signature)
    where coalesce(has_function_privilege(to_regprocedure(signature), 'execute'), false)`
  const has = (use: keyof typeof functions) => allowed.some(entry => entry.use === use)
  return {
    ...storage,
    readsFiles: has('readsFiles'),
    prewarms: has('prewarms'),
    checksTables: has('checksTables'),
    checksBtrees: has('checksBtrees'),
    checksGin: has('checksGin'),
  }
}
