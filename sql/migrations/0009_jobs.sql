-- Why: a backtest that outlives its connection, its server or its machine has to lie where every server and worker finds
-- it. The queue itself (who runs what next) is graphile-worker's, in a schema of its own that it migrates by itself; here
-- is what the queue's tasks work on, and what the API tells of it. A task that is run twice leaves what one run leaves.

create table backtest_job (
  -- A UUIDv7: the newest has the greatest.
  job_id uuid primary key,
  key_id integer not null references api_key,
  state text not null default 'queued'
    check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  -- Of the request that submitted it, for its error.
  request_id text not null,
  body_format text not null,
  body_query json not null,
  body_bytes bigint not null,
  -- Of the archive when the job came, and when it was planned; the latter null for a panel.
  submitted_data_version bigint not null,
  data_version bigint,
  -- The rows that the plan was made for: a process that finds others must not mix its slices with these.
  fingerprint text,
  -- Grows where the rows changed and the sweep begins anew.
  round integer not null default 0,
  trials_done integer not null default 0,
  trials_total integer,
  shares_left integer,
  error_code text,
  error_message text,
  error_param text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  check ((state in ('queued', 'running')) = (finished_at is null)),
  check ((state = 'failed') = (error_code is not null))
);
create index backtest_job_key on backtest_job (key_id, job_id desc);
create index backtest_job_unfinished on backtest_job (key_id) where finished_at is null;
create index backtest_job_finished on backtest_job (finished_at) where finished_at is not null;

-- The request body in pieces, each compressed. There while the job is unfinished.
create table job_body (
  job_id uuid not null references backtest_job on delete cascade deferrable initially deferred,
  part integer not null,
  bytes bytea not null,
  primary key (job_id, part)
);
alter table job_body alter column bytes set storage external;

-- What some configurations of a sweep yielded: for each, its net return per period and then its mean turnover, as
-- little-endian doubles. There while the job is unfinished.
create table job_share (
  job_id uuid not null references backtest_job on delete cascade,
  round integer not null,
  place integer not null,
  -- Places in the sweep's grid.
  configs integer[] not null,
  series bytea not null,
  -- Who ran it, for people.
  process_id uuid not null,
  primary key (job_id, round, place)
);
alter table job_share alter column series set storage external;

-- The text of a result, compressed.
create table job_result (
  job_id uuid primary key references backtest_job on delete cascade,
  bytes bytea not null
);
alter table job_result alter column bytes set storage external;

-- The processes that run tasks, each with the names under which it locks them in the queue. One that is silent is dead:
-- its locks are broken, and others run what it ran.
create table job_process (
  process_id uuid primary key,
  locks text[] not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

-- The use of an Idempotency-Key: in flight while it has neither job nor answer and its process lives.
create table idempotency_claim (
  key_id integer not null references api_key,
  name text not null,
  digest bytea not null check (octet_length(digest) = 32),
  process_id uuid not null,
  claimed_at timestamptz not null default now(),
  job_id uuid references backtest_job on delete cascade,
  -- The text of a synchronous answer, compressed.
  answer bytea,
  primary key (key_id, name)
);
alter table idempotency_claim alter column answer set storage external;
create index idempotency_claim_job on idempotency_claim (job_id);
create index idempotency_claim_age on idempotency_claim (claimed_at);
