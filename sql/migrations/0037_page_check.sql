-- Why: a damaged page of a table or an index was noticed only by the request that needed it. Servers now read every page slowly and
-- check it. A pass has a row here, so that another process continues it after a crash, and so has each damaged relation until a later
-- pass finds it intact.

create table page_check (
  pass_id bigint generated always as identity primary key,
  run_by text not null check (run_by in ('server', 'command')),
  started_at timestamptz not null default now(),
  -- The process that runs it renews this with each position; after a while another one may continue.
  seen_at timestamptz not null default now(),
  holder uuid not null,
  -- null: it runs, or its process has died.
  ended_at timestamptz,
  outcome text check (outcome in ('clean', 'damaged', 'stopped')),
  -- Whether the structure of tables and indexes is checked after their pages.
  has_structure boolean not null,
  -- Where it is: everything before this is checked.
  phase text not null default 'pages' check (phase in ('pages', 'structure')),
  at_relation bigint not null default 0,
  at_fork smallint not null default 0,
  at_block bigint not null default 0,
  pages bigint not null default 0,
  total_pages bigint not null default 0,
  -- What could not be checked, as sentences.
  unchecked text[] not null default '{}',
  check ((ended_at is null) = (outcome is null))
);
-- Of all servers one checks at a time.
create unique index page_check_of_servers on page_check (run_by) where run_by = 'server' and ended_at is null;

create table page_damage (
  -- The OID of the relation; 0: it is not known which one.
  relation bigint not null,
  found_by text not null check (found_by in ('pages', 'structure', 'request')),
  fork text not null check (fork in ('main', 'fsm', 'vm', 'init')),
  name text not null,
  kind text not null check (kind in ('table', 'toast', 'index', 'sequence', 'unknown')),
  is_catalog boolean not null,
  -- Of an index or a TOAST table.
  of_table text,
  first_block bigint,
  last_block bigint,
  -- How many blocks between both are damaged; null: not known.
  blocks bigint,
  detail text not null,
  -- The pass that counted the blocks.
  pass_id bigint,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- When it was written to a log.
  reported_at timestamptz,
  primary key (relation, found_by, fork)
);
