-- Why: a submitted backtest or join runs later and in another process than its request. What follows a request by its traceparent must find
-- both, so the job has the ids of its request. The last digit says whether the trace is followed: its statements then name it.

alter table backtest_job add column trace text
  check (trace ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$');
