-- Why: an analyst asks where a figure comes from and until when it was current. A row now names the data version in which it
-- came, the other filings that a derived figure was computed from, and the day from which it mixes with no restated figure. The
-- trailing twelve months are rows, too (fp 5, under a metric `<metric>_ttm`), which no reader sees that does not ask for them.
-- A filing names the year end that its company stated that day.
-- No row is rewritten: columns are added at the end, and the rows on record keep version 0, "before versions were recorded". One
-- index is made again.

alter table fact add column data_version integer not null default 0;
alter table fact_repeat add column data_version integer not null default 0;

-- Of a derived row: from this day one of its inputs is restated and another is not, so it is of an earlier generation. null: it
-- is of one generation.
alter table fact add column earlier_since date;
-- Of a derived row: the filings of its inputs other than its own. null: none.
alter table fact add column inputs integer[];

alter table fact drop constraint if exists fact_fp_check, drop constraint if exists fact_fp_check1;
alter table fact add constraint fact_fp check (fp between 0 and 5) not valid;

-- Trailing years are read company by company, by fact_company. In this index they would take a third of the space that they add.
drop index if exists fact_cross_section;
create index fact_cross_section on fact (metric_id, entity_id, period_end desc, filed desc) where fp < 5;

alter table metric add column is_trailing boolean not null generated always as (right(name, 4) = '_ttm') stored;

alter table filing add column fiscal_year_end text;

drop function fact_as_of(date);

-- The as-of rule, and the only reader of `fact` but for the trailing twelve months. It is a plain SQL function, so the planner
-- inlines it, drops the filing where nothing of it is asked for, and the indexes serve it. `current` says whether the vintage
-- is the latest one known that day. `until` is the day from which it is no longer current, null where that is not known yet:
-- a day after `as_of` would tell the future.
create function fact_as_of(as_of date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer
)
language sql stable parallel safe
as $$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > as_of, case when f.superseded <= as_of then f.superseded end,
         coalesce(f.earlier_since <= as_of, false), l.form, f.inputs, f.data_version
  from fact f left join filing l on l.filing_id = f.filing_id
  where f.filed <= as_of and f.fp < 5
$$;

-- The same rule for the trailing twelve months. They are served only when asked for.
create function trailing_as_of(as_of date)
returns table (
  entity_id integer, metric_id smallint, fp smallint, fy smallint, unit_id smallint, tag_id integer,
  period_start date, period_end date, filed date, accepted_at timestamptz, value double precision,
  accession text, current boolean, until date, is_earlier boolean, form text, inputs integer[], data_version integer
)
language sql stable parallel safe
as $$
  select f.entity_id, f.metric_id, f.fp, f.fy, f.unit_id, f.tag_id,
         f.period_start, f.period_end, f.filed, l.accepted_at, f.value,
         l.accession, f.superseded > as_of, case when f.superseded <= as_of then f.superseded end,
         coalesce(f.earlier_since <= as_of, false), l.form, f.inputs, f.data_version
  from fact f left join filing l on l.filing_id = f.filing_id
  where f.filed <= as_of and f.fp = 5
$$;
