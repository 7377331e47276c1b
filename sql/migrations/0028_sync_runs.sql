-- Why: a server that keeps itself current must say how current it is, and exactly one process of all that share the database may
-- fetch from a register at a time. Each run is recorded, by hand or by the schedule, with what it did and why it ended. No
-- address with a credential, no credential and no text of an exception is ever in here.

create table sync_run (
  run_id bigint generated always as identity primary key,
  market text not null,
  -- By the schedule, or by hand.
  is_scheduled boolean not null,
  -- Only for some companies or from some day: says nothing about how current the market is.
  is_partial boolean not null,
  started_at timestamptz not null default now(),
  -- The run was alive then.
  seen_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text check (outcome in ('done', 'incomplete', 'failed', 'stopped', 'killed')),
  -- In words; null: nothing was left out.
  reason text,
  documents bigint not null default 0,
  facts bigint not null default 0,
  data_version bigint,
  check ((ended_at is null) = (outcome is null))
);
create index sync_run_of_market on sync_run (market, run_id);
create index sync_run_done on sync_run (market, run_id) where outcome = 'done' and not is_partial;

-- A run that the schedule wants, one a market. It goes when the run is done, or when the next time of the schedule is near.
create table sync_due (
  market text primary key,
  due_at timestamptz not null,
  -- Runs that failed since then.
  attempts smallint not null default 0,
  try_at timestamptz not null,
  -- The process (job_process) that runs it; null: none. A claim of a process that is dead may be taken.
  process_id uuid
);
