-- Why: the owner of a backtest shows its report to people who have no key. Only the SHA-256 of the token in its address is stored, so
-- reading this database opens no report. What is shown is the stored result, which never changes and is kept for as long as it is shared.

create table shared_report (
  share_id uuid primary key default gen_random_uuid(),
  digest bytea not null unique check (octet_length(digest) = 32),
  job_id uuid not null references job on delete cascade,
  -- The markets whose figures ranked the names. Whether these figures may be passed on is asked again whenever the report is opened.
  markets text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (expires_at > created_at)
);
create index shared_report_job on shared_report (job_id);
create index shared_report_expires on shared_report (expires_at);
