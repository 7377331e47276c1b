-- Why: a day is too coarse for trading, because half of a day's filings are accepted after the session closes. A filing is public from the
-- time at which its register accepted it. A filing without a time is public from the end of its day in its market: perhaps later than in
-- truth, but never earlier. At most instants a company's figures are those as of some day, so these tables only store the exceptions:
-- which day's figures hold from an instant on, and what was known between two filings of one day. The importer derives both together with
-- the figures (`facts/knownMoments.ts`), because a filing may belong to several companies and a derived figure to several filings. A
-- company without rows here is read by days alone until it is imported again.

-- From `known_at` until just before `until_at`, a company's figures are those as of `day`. At all other instants they are those as of the
-- last day that has ended in its market. The range is empty if all filings of the day were accepted after it had ended; the row then
-- only carries `by_time`.
create table known_moment (
  entity_id integer not null,
  known_at timestamptz not null,
  until_at timestamptz not null,
  day date not null,
  -- Whether all filings of the day counted by their times.
  by_time boolean not null,
  -- A digest of the company's rows in fact_interim, if the figures differ from those of the day; otherwise null.
  interim text,
  primary key (entity_id, known_at, until_at, day),
  check (known_at <= until_at)
);
create index known_moment_day on known_moment (entity_id, day) where by_time;

-- The figures that differ: those of the filings that were already public, and the rows of `fact` that they ended or changed.
create table fact_interim (
  known_at timestamptz not null,
  value double precision not null,
  entity_id integer not null,
  filing_id integer not null,
  period_end date not null,
  filed date not null,
  superseded date not null,
  period_start date,
  tag_id integer,
  metric_id smallint not null,
  fy smallint not null,
  unit_id smallint not null,
  fp smallint not null,
  period_rounded boolean not null,
  earlier_since date,
  inputs integer[]
);
create unique index fact_interim_place on fact_interim (entity_id, known_at, metric_id, period_end, filed, fp, filing_id);

-- If a filing's time changes outside of an import, its companies are read by days alone, because their stored moments are no longer right.
create function drop_known_moments() returns trigger
language plpgsql
as $$
declare
  companies integer[];
begin
  select array_agg(distinct b.entity_id) into companies
  from before b join later l on l.filing_id = b.filing_id
  where (b.filed, b.accepted_at) is distinct from (l.filed, l.accepted_at);
  if companies is null then return null; end if;
  delete from known_moment where entity_id = any(companies);
  delete from fact_interim where entity_id = any(companies);
  return null;
end
$$;
create trigger drop_known_moments after update on filing
  referencing old table as before new table as later for each statement execute function drop_known_moments();

-- Keeps replaced and deleted rows of a table in `<name>_past`, so that pins can still read them, and makes the view of the same name in
-- the schema `pinned`, which shows the rows of the pinned version. 0025 does the same for older tables.
create procedure keep_past_rows(name text)
language plpgsql
as $$
declare
  columns text;
begin
  execute format('alter table %I add column if not exists since_version integer not null default 0', name);
  execute format('alter table %I alter column since_version set default version_under_way()', name);
  execute format('create table %I (until_version integer not null, like %I)', name || '_past', name);
  execute format('create index %I on %I (until_version)', name || '_past_until', name || '_past');
  execute format(
    'create function %I() returns trigger language plpgsql as $body$
declare
  ending integer;
begin
  if not exists (select from gone) then return null; end if;
  ending := next_data_version();
  perform set_config(''asfiled.data_changed'', ''yes'', true);
  insert into %I select ending, gone.* from gone where gone.since_version < ending;
  return null;
end
$body$', 'keep_' || name, name || '_past');
  execute format('create trigger %I before insert on %I for each statement execute function begin_version()', name || '_begun', name);
  execute format('create trigger %I after insert on %I referencing new table as added for each statement execute function note_rows()',
    name || '_added', name);
  execute format('create trigger %I before update on %I for each row execute function stamp_row()', name || '_stamped', name);
  execute format('create trigger %I after update on %I referencing old table as gone for each statement execute function %I()',
    name || '_updated', name, 'keep_' || name);
  execute format('create trigger %I after delete on %I referencing old table as gone for each statement execute function %I()',
    name || '_deleted', name, 'keep_' || name);
  select string_agg(quote_ident(attname), ', ' order by attnum) into columns
  from pg_attribute
  where attrelid = name::regclass and attnum > 0 and not attisdropped;
  execute format('create view pinned.%I as
    select %s from (
      select %s, null::integer as until_version from %I
      union all
      select %s, until_version from %I) rows
    where since_version <= pinned.version() and (until_version is null or until_version > pinned.version())',
    name, columns, columns, name, columns, name || '_past');
end
$$;

call keep_past_rows('known_moment');
call keep_past_rows('fact_interim');
create index known_moment_past_entity on known_moment_past (entity_id, known_at);
create index fact_interim_past_entity on fact_interim_past (entity_id, known_at);

-- Whether a filing counts from its acceptance time. A time that lies days before the filing's own day contradicts that day; edited filings
-- have such times. These filings count from the end of their day, like filings without a time. `knownAt` in `facts/knownMoments.ts` is
-- the same rule.
create function filing_has_time(filed date, accepted_at timestamptz)
returns boolean
language sql immutable parallel safe
return coalesce(accepted_at >= (filed - 5)::timestamp at time zone 'UTC', false);

-- Whether a filing is public at an instant. `ended` is the last day that has ended in its market then.
create function filing_is_known(filed date, accepted_at timestamptz, at timestamptz, ended date)
returns boolean
language sql immutable parallel safe
return case when filing_has_time(filed, accepted_at) then accepted_at <= at else filed <= ended end;

do $$
declare
  rule record;
  body text;
begin
  for rule in select * from (values ('fact_at', 'f.fp < 5'), ('trailing_at', 'f.fp = 5')) r (name, periods)
  loop
    -- The as-of rule at an instant, beside fact_as_of and trailing_as_of, which answer for days. `ended` is the last day that has ended
    -- in the market. `by_time` says which rule let the row count: the time of its filing, or the end of its day.
    body := replace($rule$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > coalesce(m.day, ended),
         case when f.superseded <= coalesce(m.day, ended) then f.superseded end,
         coalesce(f.earlier_since <= coalesce(m.day, ended), false), l.form, f.inputs, f.data_version,
         exists (select from known_moment t where t.entity_id = f.entity_id and t.day = f.filed and t.by_time)
  from fact f
  left join known_moment m on m.entity_id = f.entity_id and m.known_at <= at and m.until_at > at
  left join filing l on l.filing_id = f.filing_id
  where f.filed <= coalesce(m.day, ended) and f.fp < 5
    and (m.interim is null or not exists (
      select from fact_interim i
      where i.entity_id = f.entity_id and i.known_at = m.known_at and i.metric_id = f.metric_id and i.period_end = f.period_end
        and i.filed = f.filed and i.fp = f.fp and i.filing_id = f.filing_id))
  union all
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded = 'infinity', nullif(f.superseded, 'infinity'),
         f.earlier_since is not null, l.form, f.inputs, f.since_version, filing_has_time(l.filed, l.accepted_at)
  from known_moment m
  join fact_interim f on f.entity_id = m.entity_id and f.known_at = m.known_at
  left join filing l on l.filing_id = f.filing_id
  where m.interim is not null and m.known_at <= at and m.until_at > at and f.fp < 5
$rule$, 'f.fp < 5', rule.periods);
    execute format('create function %I(at timestamptz, ended date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer,
  by_time boolean
)
language sql stable parallel safe as %L', rule.name, body);
    -- As for fact_as_of: in a view of two tables the planner cannot see that a filing is there once.
    execute format('create function pinned.%I(at timestamptz, ended date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer,
  by_time boolean
)
language sql stable parallel safe as %L', rule.name,
      replace(body, 'left join filing l on l.filing_id = f.filing_id',
        'left join lateral (select accession, filed, accepted_at, form from filing where filing_id = f.filing_id limit 1) l on true'));
  end loop;
end
$$;
