/**
 * The settings of a restored database, by path in its cluster. PostgreSQL runs commands that its settings
 * name, so those in a backup are not used: checksums reveal damage, not who wrote them. The values are those
 * of initdb; all others are on the command line of each start.
 */
export const freshSettings: Readonly<Record<string, string>> = {
  'postgresql.conf': `dynamic_shared_memory_type = posix
log_timezone = 'Etc/UTC'
timezone = 'Etc/UTC'
datestyle = 'iso, mdy'
lc_messages = 'C'
lc_monetary = 'C'
lc_numeric = 'C'
lc_time = 'C'
default_text_search_config = 'pg_catalog.english'
`,
  'postgresql.auto.conf': '',
  'pg_hba.conf': `local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`,
  'pg_ident.conf': '',
}
