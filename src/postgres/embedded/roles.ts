import { existsSync, readFileSync } from 'node:fs'
import type postgres from 'postgres'
import { adminUrl, databaseName, withAdmin } from './admin.ts'
import { type ClusterLocation, makePassword, writeSecret } from './folder.ts'

/**
 * The role of every pool. It owns the database and its tables, as the user in DATABASE_URL does elsewhere,
 * and is not a superuser: an injected statement reaches no file, no program and no other role.
 */
export const serviceRole = 'asfiled_service'

/**
 * Creates the database and its role if they are missing, and returns the role's URL. In folders of older
 * versions the superuser owns everything, so ownership is transferred. Call it while holding the folder's
 * lock.
 */
export async function prepareDatabase(location: ClusterLocation, port: number): Promise<string> {
  const password = await withAdmin(location, port, 'postgres', async sql => {
    // Failed statements are logged, and these contain a password.
    await sql`set log_min_error_statement = 'panic'`
    const secret = await prepareRole(location, sql)
    const found = await sql`select 1 from pg_database where datname = ${databaseName}`
    if (found.length === 0) await sql.unsafe(`create database ${databaseName} owner ${serviceRole}`)
    return secret
  })
  await withAdmin(location, port, databaseName, async sql => {
    await giveToRole(sql)
    // The role may not create this extension, with which a start reads company names into memory.
    await sql`create extension if not exists pg_prewarm`
    // The same holds for the extension that checks tables and indexes. Its functions report damage and change
    // nothing.
    await sql`create extension if not exists amcheck`
    await sql.unsafe(`
      grant execute on function verify_heapam(regclass, boolean, boolean, text, bigint, bigint),
        bt_index_check(regclass, boolean), gin_index_check(regclass) to ${serviceRole}`)
    // A checkpoint ensures that a repaired page is on disk.
    await sql.unsafe(`grant pg_checkpoint to ${serviceRole}`)
  })
  const url = new URL(adminUrl(location, port, databaseName))
  return Object.assign(url, { username: serviceRole, password }).href
}

/**
 * Returns the role's password. The file is written after the role has it; if the process is killed in
 * between, the next start sets another one.
 */
async function prepareRole({ rolePasswordFile }: ClusterLocation, sql: postgres.Sql): Promise<string> {
  const [role] = await sql`select 1 from pg_roles where rolname = ${serviceRole}`
  const stored = existsSync(rolePasswordFile) ? readFileSync(rolePasswordFile, 'utf8').trim() : ''
  if (role !== undefined && stored !== '') return stored
  const password = stored || makePassword()
  const verb = role === undefined ? 'create' : 'alter'
  await sql.unsafe(
    `${verb} role ${serviceRole} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
  )
  await sql.unsafe(`revoke all on database postgres, template1 from public`)
  if (stored === '') writeSecret(rolePasswordFile, password)
  return password
}

/**
 * Transfers the database and everything in it to the role. Objects that belong to an extension or another
 * object stay with it.
 */
async function giveToRole(sql: postgres.Sql): Promise<void> {
  const [{ given }] = await sql<{ given: boolean }[]>`
    select pg_get_userbyid(datdba) = ${serviceRole} as given from pg_database where datname = current_database()`
  if (given) return
  await sql.begin(async transaction => {
    const objects = await transaction<{ kind: string; name: string }[]>`
      with own as (
        select oid, nspname from pg_namespace
        where nspname !~ '^pg_' and nspname not in ('information_schema', 'public'))
      select 'schema' as kind, format('%I', nspname) as name from own
      union all
      select case c.relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
             format('%I.%I', n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v', 'm', 'S') and (n.nspname = 'public' or n.oid in (select oid from own))
        and not exists (
          select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e'))
      union all
      select 'type', format('%I.%I', n.nspname, t.typname)
      from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where (n.nspname = 'public' or n.oid in (select oid from own))
        and (t.typtype in ('e', 'd') or t.typtype = 'c' and exists (
          select from pg_class c where c.oid = t.typrelid and c.relkind = 'c'))
        and not exists (
          select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
      union all
      select 'routine', p.oid::regprocedure::text
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where (n.nspname = 'public' or n.oid in (select oid from own))
        and not exists (
          select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`
    for (const { kind, name } of objects)
      await transaction.unsafe(`alter ${kind} ${name} owner to ${serviceRole}`)
    await transaction.unsafe(`alter database ${databaseName} owner to ${serviceRole}`)
  })
}
