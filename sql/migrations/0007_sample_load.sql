-- Why: the shipped sample belongs into an empty database and nowhere else, and a first start that was killed in
-- the middle of it has to be completed by the next one.

create table sample_load (
  only_row boolean primary key default true check (only_row),
  started_at timestamptz not null default now(),
  finished_at timestamptz
);
