-- Why: an audit of many rows runs as a job, as a join does, so that it outlives its connection and its server. Its results, one for each
-- format, are parts of the same tables; `headers` of `as_of_result` then says by format which parts are whose.

alter table job drop constraint job_kind_check;
alter table job add constraint job_kind_check check (kind in ('backtest', 'as_of', 'audit'));
