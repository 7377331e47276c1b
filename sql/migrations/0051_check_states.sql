-- Why: an analyst who sums a market wants only figures that an identity confirms. A figure's state follows from its own filing alone, so it
-- depends on nothing filed later: 1 proved, 2 consistent, 3 contradicted; null: unchecked. A derived figure has the weakest state of its
-- inputs.
-- No row is rewritten. The next import of each register reads its files again and fills the states in.

alter table fact add column check_state smallint;
alter table fact_past add column check_state smallint;
alter table fact_repeat add column check_state smallint;
alter table fact_interim add column check_state smallint;
alter table fact_interim_past add column check_state smallint;

drop function fact_as_of(date), trailing_as_of(date), pinned.fact_as_of(date), pinned.trailing_as_of(date);
drop function fact_at(timestamptz, date), trailing_at(timestamptz, date), pinned.fact_at(timestamptz, date), pinned.trailing_at(timestamptz, date);

create or replace view pinned.fact as
select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
       data_version, earlier_since, inputs, check_state
from (
  select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
         data_version, earlier_since, inputs, check_state, amended_version, null::integer as until_version
  from fact
  union all
  select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
         data_version, earlier_since, inputs, check_state, amended_version, until_version
  from fact_past) rows
where data_version <= pinned.version() and (amended_version is null or amended_version <= pinned.version())
  and (until_version is null or until_version > pinned.version());

do $$
declare
  columns text;
begin
  select string_agg(quote_ident(attname), ', ' order by attnum) into columns
  from pg_attribute
  where attrelid = 'fact_interim'::regclass and attnum > 0 and not attisdropped;
  execute format('create or replace view pinned.fact_interim as
    select %s from (
      select %s, null::integer as until_version from fact_interim
      union all
      select %s, until_version from fact_interim_past) rows
    where since_version <= pinned.version() and (until_version is null or until_version > pinned.version())',
    columns, columns, columns);
end
$$;

-- The as-of rule, and the only reader of `fact` but for the trailing twelve months. It is a plain SQL function, so the planner
-- inlines it, drops the filing where nothing of it is asked for, and the indexes serve it. `current` says whether the vintage
-- is the latest one known that day. `until` is the day from which it is no longer current, null where that is not known yet:
-- a day after `as_of` would tell the future.
create function fact_as_of(as_of date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer,
  check_state smallint
)
language sql stable parallel safe
as $$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > as_of, case when f.superseded <= as_of then f.superseded end,
         coalesce(f.earlier_since <= as_of, false), l.form, f.inputs, f.data_version,
         f.check_state
  from fact f left join filing l on l.filing_id = f.filing_id
  where f.filed <= as_of and f.fp < 5
$$;

-- The same rule for the trailing twelve months. They are served only when asked for.
create function trailing_as_of(as_of date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer,
  check_state smallint
)
language sql stable parallel safe
as $$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > as_of, case when f.superseded <= as_of then f.superseded end,
         coalesce(f.earlier_since <= as_of, false), l.form, f.inputs, f.data_version,
         f.check_state
  from fact f left join filing l on l.filing_id = f.filing_id
  where f.filed <= as_of and f.fp = 5
$$;

-- The as-of rule of the pinned schema is made of the text of the one rule. Only the filing of a figure is found in another way: in a view
-- of two tables the planner cannot see that a filing is there once, so it would read all filings for the figures of one company.
do $$
declare
  name text;
begin
  foreach name in array array['fact_as_of', 'trailing_as_of']
  loop
    execute (
      select format('create function pinned.%I(%s) returns %s language sql stable parallel safe as %L',
        proname, pg_get_function_arguments(oid), pg_get_function_result(oid),
        replace(prosrc, 'left join filing l on l.filing_id = f.filing_id',
          'left join lateral (select accession, accepted_at, form from filing where filing_id = f.filing_id limit 1) l on true'))
      from pg_proc where oid = name::regproc);
  end loop;
end
$$;

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
         exists (select from known_moment t where t.entity_id = f.entity_id and t.day = f.filed and t.by_time),
         f.check_state
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
         f.earlier_since is not null, l.form, f.inputs, f.since_version, filing_has_time(l.filed, l.accepted_at), f.check_state
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
  by_time boolean, check_state smallint
)
language sql stable parallel safe as %L', rule.name, body);
    -- As for fact_as_of: in a view of two tables the planner cannot see that a filing is there once.
    execute format('create function pinned.%I(at timestamptz, ended date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer,
  by_time boolean, check_state smallint
)
language sql stable parallel safe as %L', rule.name,
      replace(body, 'left join filing l on l.filing_id = f.filing_id',
        'left join lateral (select accession, filed, accepted_at, form from filing where filing_id = f.filing_id limit 1) l on true'));
  end loop;
end
$$;
