-- Why: an as-of join of millions of rows, too, has to outlive its connection and its server. It is a job like a backtest, with the
-- same queue and the same limits; `kind` says which, so that neither appears at the address of the other. Its result is bytes of
-- hundreds of MB, so it is in parts, and a reader never holds more than one of them.

alter table backtest_job add column kind text not null default 'backtest' check (kind in ('backtest', 'as_of'));

-- The result of a join: its headers, with what formats of rows have no field for, and its size.
create table as_of_result (
  job_id uuid primary key references backtest_job on delete cascade,
  headers json not null,
  parts integer not null,
  -- Compressed, of all parts.
  stored_bytes bigint not null
);

create table as_of_part (
  job_id uuid not null references backtest_job on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (job_id, part)
);
alter table as_of_part alter column bytes set storage external;
