/** Gives the table of jobs the names that it had before migration 0041, for tests of older databases. */
export const olderJobTable = `
  drop view backtest_job;
  alter table job rename to backtest_job;
  alter table backtest_job rename column done to trials_done;
  alter table backtest_job rename column total to trials_total;
  alter table backtest_job rename constraint job_pkey to backtest_job_pkey;
  alter table backtest_job rename constraint job_key_id_fkey to backtest_job_key_id_fkey;
  alter table backtest_job rename constraint job_state_check to backtest_job_state_check;
  alter table backtest_job rename constraint job_check to backtest_job_check;
  alter table backtest_job rename constraint job_check1 to backtest_job_check1;
  alter table backtest_job rename constraint job_kind_check to backtest_job_kind_check;
  alter table backtest_job rename constraint job_trace_check to backtest_job_trace_check;
  alter index job_key rename to backtest_job_key;
  alter index job_unfinished rename to backtest_job_unfinished;
  alter index job_finished rename to backtest_job_finished;`
