-- Why: an operator asks first which servers and workers live and of which version they are, when the last backup was made, and what
-- failed. The heartbeat of a process now says what it is; servers of earlier versions go on writing theirs without it. A backup and
-- an import by hand are recorded when they end. No credential and no text of an exception is ever in here.

alter table job_process
  add column role text check (role in ('server', 'worker')),
  add column version text,
  add column host text,
  add column pid integer;

create table operator_run (
  run_id bigint generated always as identity primary key,
  kind text not null check (kind in ('backup', 'import')),
  -- The file of a backup, the market of an import.
  subject text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default now(),
  outcome text not null check (outcome in ('done', 'incomplete', 'failed', 'stopped')),
  -- In words; null: there is nothing to say.
  reason text,
  -- Of the file of a backup.
  bytes bigint
);
create index operator_run_of_kind on operator_run (kind, subject, run_id);
