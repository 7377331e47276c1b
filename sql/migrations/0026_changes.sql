-- Why: a mirror of this service follows it by its changes. What changed between two data versions is what the store remembers of
-- itself (0025); here are the indexes that find it, and the days on which figures become due: a row that is filed on a later day than
-- that of its import is in no answer until that day has come, and no data version announces it then.

-- The day of an import. The setting is for tests, which live on days of their own.
create function import_day() returns date
language sql stable
return coalesce(nullif(current_setting('asfiled.today', true), '')::date, (now() at time zone 'utc')::date);

alter table import_batch add column day date;
update import_batch set day = (committed_at at time zone 'utc')::date;
alter table import_batch alter column day set default import_day();
alter table import_batch alter column day set not null;

-- Companies with a figure that is filed, or that ends, on this day, which was that of the import or later. The importer writes it with
-- the figures.
create table future_day (
  day date not null,
  entity_id integer not null,
  primary key (day, entity_id)
);
insert into future_day
select filed, entity_id from fact where filed >= import_day()
union
select superseded, entity_id from fact where superseded >= import_day() and superseded < 'infinity';

-- New rows are at the end of the table, so their versions grow with its blocks; a few older blocks have newer rows, in the place of
-- removed ones. A tree over all rows would take a fifth of the space that they do.
create index fact_version on fact using brin (data_version int4_minmax_multi_ops) with (autosummarize = on, pages_per_range = 32);
create index fact_amended on fact (amended_version) where amended_version is not null;
create index entity_since on entity (since_version) where since_version > 0;

-- The states of rows at the version `upto` that came in the versions `first` to `last`, and the rows that ended in these and are not
-- there at `upto`. As of a day: what is filed later is left out, and a later end is not known.
create function fact_changes(since integer, upto integer, first integer, last integer, as_of date)
returns table (
  version integer, change text, value double precision, entity_id integer, filing_id integer, period_end date, filed date, until date,
  period_start date, tag_id integer, metric_id smallint, fy smallint, unit_id smallint, fp smallint, data_version integer
)
language sql stable parallel safe
as $$
  select c.version, case when c.is_removed then 'removed' when c.data_version > since then 'added' else 'ended' end,
         c.value, c.entity_id, c.filing_id, c.period_end, c.filed, case when c.superseded <= as_of then c.superseded end,
         c.period_start, c.tag_id, c.metric_id, c.fy, c.unit_id, c.fp, c.data_version
  from (
    select f.data_version as version, false as is_removed, f.value, f.entity_id, f.filing_id, f.period_end, f.filed, f.superseded,
           f.period_start, f.tag_id, f.metric_id, f.fy, f.unit_id, f.fp, f.data_version
    from fact f
    where f.data_version between first and last and f.amended_version is null
    union all
    select f.amended_version, false, f.value, f.entity_id, f.filing_id, f.period_end, f.filed, f.superseded,
           f.period_start, f.tag_id, f.metric_id, f.fy, f.unit_id, f.fp, f.data_version
    from fact f
    where f.amended_version between first and last
    union all
    -- Rows that changed or ended after `upto`.
    select coalesce(p.amended_version, p.data_version), false, p.value, p.entity_id, p.filing_id, p.period_end, p.filed,
           p.superseded, p.period_start, p.tag_id, p.metric_id, p.fy, p.unit_id, p.fp, p.data_version
    from fact_past p
    where p.until_version > upto and coalesce(p.amended_version, p.data_version) between first and last
    union all
    select p.until_version, true, p.value, p.entity_id, p.filing_id, p.period_end, p.filed, p.superseded,
           p.period_start, p.tag_id, p.metric_id, p.fy, p.unit_id, p.fp, p.data_version
    from fact_past p
    where p.until_version between first and last
      and not exists (
        select from fact f
        where f.entity_id = p.entity_id and f.metric_id = p.metric_id and f.period_end = p.period_end and f.filed = p.filed
          and f.fp = p.fp and f.filing_id = p.filing_id and coalesce(f.amended_version, f.data_version) between p.until_version and upto)
      and not exists (
        select from fact_past f
        where f.entity_id = p.entity_id and f.metric_id = p.metric_id and f.period_end = p.period_end and f.filed = p.filed
          and f.fp = p.fp and f.filing_id = p.filing_id and coalesce(f.amended_version, f.data_version) between p.until_version and upto)
  ) c
  where c.filed <= as_of
$$;

-- Of one company the rows that were there at both versions and of which something became known after `since_day`, up to `as_of`: that
-- they are filed, or that they ended.
create function fact_matured(of_entity integer, since integer, upto integer, since_day date, as_of date)
returns table (
  version integer, change text, value double precision, entity_id integer, filing_id integer, period_end date, filed date, until date,
  period_start date, tag_id integer, metric_id smallint, fy smallint, unit_id smallint, fp smallint, data_version integer
)
language sql stable parallel safe
as $$
  select upto, case when c.filed > since_day then 'added' else 'ended' end,
         c.value, c.entity_id, c.filing_id, c.period_end, c.filed, case when c.superseded <= as_of then c.superseded end,
         c.period_start, c.tag_id, c.metric_id, c.fy, c.unit_id, c.fp, c.data_version
  from (
    select f.value, f.entity_id, f.filing_id, f.period_end, f.filed, f.superseded, f.period_start, f.tag_id, f.metric_id, f.fy,
           f.unit_id, f.fp, f.data_version
    from fact f
    where f.entity_id = of_entity and coalesce(f.amended_version, f.data_version) <= since
    union all
    select p.value, p.entity_id, p.filing_id, p.period_end, p.filed, p.superseded, p.period_start, p.tag_id, p.metric_id, p.fy,
           p.unit_id, p.fp, p.data_version
    from fact_past p
    where p.entity_id = of_entity and p.until_version > upto and coalesce(p.amended_version, p.data_version) <= since
  ) c
  where c.filed <= as_of and (c.filed > since_day or c.superseded > since_day and c.superseded <= as_of)
$$;
