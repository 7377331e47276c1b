-- Why: bulk files and the change feed hand out whole rows by number: filing, metric, unit and tag are looked up once for many rows.
-- fact_as_of joins the filing to each row, which for a hundred million rows takes longer than all else. This is the same rule for
-- these two readers: a row filed after the day is in no answer, and a day after it ends no row.

create function fact_rows_as_of(as_of date)
returns table (
  value double precision, entity_id integer, filing_id integer, period_end date, filed date, until date, period_start date,
  tag_id integer, metric_id smallint, fy smallint, unit_id smallint, fp smallint, data_version integer
)
language sql stable parallel safe
as $$
  select f.value, f.entity_id, f.filing_id, f.period_end, f.filed, case when f.superseded <= as_of then f.superseded end,
         f.period_start, f.tag_id, f.metric_id, f.fy, f.unit_id, f.fp, f.data_version
  from fact f
  where f.filed <= as_of
$$;
