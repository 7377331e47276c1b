-- Why: the table of submitted work was named after backtests, and held as-of joins, too. It is named `job`, and the columns that count
-- what is done no longer speak of trials.

alter table backtest_job rename to job;
alter table job rename column trials_done to done;
alter table job rename column trials_total to total;
alter table job rename constraint backtest_job_pkey to job_pkey;
alter table job rename constraint backtest_job_key_id_fkey to job_key_id_fkey;
alter table job rename constraint backtest_job_state_check to job_state_check;
alter table job rename constraint backtest_job_check to job_check;
alter table job rename constraint backtest_job_check1 to job_check1;
alter table job rename constraint backtest_job_kind_check to job_kind_check;
alter table job rename constraint backtest_job_trace_check to job_trace_check;
alter index backtest_job_key rename to job_key;
alter index backtest_job_unfinished rename to job_unfinished;
alter index backtest_job_finished rename to job_finished;

-- Servers of the version before use it during a rolling upgrade; a later migration drops it. PostgreSQL writes through a view of one table. What an older server leaves out has the defaults of the table.
create view backtest_job as
  select job_id, key_id, state, request_id, body_format, body_query, body_bytes, submitted_data_version, data_version, fingerprint,
    round, done as trials_done, total as trials_total, shares_left, error_code, error_message, error_param, created_at, started_at,
    finished_at, kind, trace
  from job;
