create schema if not exists asfiled;

-- The release that these views read. It never changes: a later release has a file of views of its own.
create or replace view asfiled.release as
select {{dataVersion}} as data_version, date {{asOf}} as as_of;

create or replace view asfiled.licences as
select * from (values {{licences}}) l (market, licence, url, attribution);

-- A figure per row and vintage: `value` was filed on `filed` and was current up to the day before `until`.
create or replace view asfiled.figures as
select r.* exclude (filename), split_part(parse_filename(r.filename), '-', 1) as market
from read_parquet({{files}}, filename = true, hive_partitioning = false) r;

create or replace view asfiled.metrics as
select * from (values {{metrics}}) m (metric, kind, unit, description);

-- The companies of the release. `ticker` is today's preferred ID, which is unique in a market; `entity` never changes.
create or replace view asfiled.companies as
select f.entity, f.ticker, f.market, min(f.filed) as first_filed, max(f.filed) as last_filed, count(*) as vintages
from asfiled.figures f group by all;

-- A whole day as a date. A time of day is an error: the day would include what was filed later on it.
create or replace macro asfiled.whole_day(day) as
  case when day is null then error('A day is missing. Write one like 2010-02-01.')
       when not regexp_full_match(day::text, '\d{4}-\d\d-\d\d( 00:00:00)?')
         then error(day::text || ' is not a day. Write one like 2010-02-01; asfiled.panel_at takes times.')
       else day::text::timestamp::date end;

-- A day up to which the release knows what was filed.
create or replace macro asfiled.day_of_release(day) as
  case when asfiled.whole_day(day) > date {{asOf}}
         then error('This release ends on ' || {{asOf}} || ', so it does not know what was filed by ' || day::text ||
           '. Download a later release and run asfiled duckdb-views for it.')
       else asfiled.whole_day(day) end;

create or replace macro asfiled.known_metric(metric) as
  case when metric is null or list_contains({{metricNames}}, metric) then metric
       else error('There is no metric ' || metric || '. The view asfiled.metrics lists them.') end;

-- Names as a list: 'revenue', 'revenue,assets' and ['revenue', 'assets'] are all allowed.
create or replace macro asfiled.metric_list(metrics) as
  list_transform(regexp_split_to_array(trim(metrics::text, '[] '), '\s*,\s*'), lambda name: asfiled.known_metric(name));

-- Every vintage filed by the end of a day, as GET /api/v1/fundamentals answers with view=history: `until` is null if the vintage
-- was still current on that day.
create or replace macro asfiled.history(day, metric := null) as table
select f.* replace (case when f.until <= asfiled.day_of_release(day) then f.until end as until)
from asfiled.figures f
where f.filed <= asfiled.day_of_release(day) and (metric is null or f.metric = asfiled.known_metric(metric));

-- The vintages that were current at the end of a day, one for each figure, as with vintage=latest.
create or replace macro asfiled.as_of(day, metric := null) as table
select f.* exclude (until)
from asfiled.figures f
where f.filed <= asfiled.day_of_release(day) and (f.until is null or f.until > asfiled.day_of_release(day))
  and (metric is null or f.metric = asfiled.known_metric(metric));

-- Each figure as it was first filed, as with vintage=first.
create or replace macro asfiled.first_filed(day, metric := null) as table
select h.* from asfiled.history(day, metric := metric) h
qualify row_number() over (
  partition by h.entity, h.metric, h.period_end, h.fp order by h.filed, h.accepted_at::timestamptz nulls first, h.accession) = 1;

-- The vintages among which a join chooses. `rank` decides between periods that end on one day.
create or replace macro asfiled.candidates(fp) as table
select f.entity, f.metric, f.period_end, case when fp in ('FY', 'TTM') then 0 when f.fp = 'FY' then 5 else right(f.fp, 1)::int end as rank,
       f.filed, f.value + 0 as value, f.unit, f.fp, f.accession, f.until
from asfiled.figures f
where f.period_end <= f.filed and case fp
  when 'FY' then f.fp = 'FY'
  when 'Q' then f.fp in ('Q1', 'Q2', 'Q3', 'Q4') or (f.fp = 'FY' and f.period_start is null)
  when 'TTM' then f.fp = 'TTM' or (f.fp = 'FY' and f.period_start is not null and not ends_with(f.unit, 'shares'))
  when 'latest' then f.fp <> 'TTM'
  else error(coalesce(fp, 'null') || ' is no kind of period. Allowed: FY, Q, TTM, latest.') end;

-- One figure for each company and metric: that of the latest period which was known at the end of a day. It is the figure of a join
-- with inclusive=true on that day.
create or replace macro asfiled.latest(day, fp := 'FY', metric := null) as table
with best as (
  select c.entity, c.metric, max({
    'period_end': c.period_end, 'rank': c.rank, 'filed': c.filed, 'value': c.value, 'unit': c.unit, 'fp': c.fp, 'accession': c.accession}) as v
  from asfiled.candidates(fp) c
  where c.filed <= asfiled.day_of_release(day) and (c.until is null or c.until > asfiled.day_of_release(day))
    and (metric is null or c.metric = asfiled.known_metric(metric))
  group by c.entity, c.metric)
select b.entity, b.metric, b.v.value as value, b.v.unit as unit, b.v.fp as fp, b.v.period_end as period_end, b.v.filed as filed,
       b.v.accession as accession
from best b;

-- What is known of metrics, as events: from `day` on, the figure is this one. If `period_end` is null, none is known from then on.
create or replace macro asfiled.events(metrics, fp) as table
with vintage as (
  select c.* from asfiled.candidates(fp) c where list_contains(asfiled.metric_list(metrics), c.metric)),
changed as (
  select v.entity, v.metric, v.filed as day from vintage v
  union
  select v.entity, v.metric, v.until from vintage v where v.until is not null),
best as (
  select d.entity, d.metric, d.day, max({
    'period_end': v.period_end, 'rank': v.rank, 'filed': v.filed, 'value': v.value, 'unit': v.unit, 'fp': v.fp, 'accession': v.accession})
    filter (v.entity is not null) as v
  from changed d
  left join vintage v on v.entity = d.entity and v.metric = d.metric and v.filed <= d.day and (v.until is null or v.until > d.day)
  group by d.entity, d.metric, d.day)
select b.entity, b.metric, b.day, b.v.value as value, b.v.unit as unit, b.v.fp as fp, b.v.period_end as period_end, b.v.filed as filed,
       b.v.accession as accession
from best b;

-- An as-of join: each row of a table with the columns `entity` and `date`, once for each metric, with the figure that was known before
-- the date. With `inclusive`, what was filed on the date itself counts too. A row for which nothing is known stays, with nulls.
create or replace macro asfiled.panel(rows, metrics, fp := 'FY', inclusive := false, max_age_days := null) as table
with asked as (
  select r.*, m.metric, asfiled.whole_day(r.date) as own_day,
         asfiled.day_of_release(case when inclusive then asfiled.whole_day(r.date) else asfiled.whole_day(r.date) - 1 end) as known_on
  from query_table(rows) r cross join (select unnest(asfiled.metric_list(metrics)) as metric) m),
joined as (
  select a.*, {'value': e.value, 'unit': e.unit, 'fp': e.fp, 'period_end': e.period_end, 'filed': e.filed, 'accession': e.accession} as v
  from asked a
  asof left join asfiled.events(metrics, fp) e on e.entity = a.entity and e.metric = a.metric and a.known_on >= e.day),
young as (
  select j.* replace (case when max_age_days is null or j.own_day - j.v.period_end <= max_age_days then j.v end as v) from joined j)
select y.* exclude (own_day, known_on, v), y.v.value as value, y.v.unit as unit, y.v.fp as fp, y.v.period_end as period_end,
       y.v.filed as filed, y.v.accession as accession
from young y;

-- The zone in which a market counts its filing days.
create or replace macro asfiled.zone(market) as case market {{zones}} else 'Etc/GMT+12' end;

-- From `known_at` on, the figures of a company are those of the end of `day`. A filing is public from the time at which its register
-- accepted it or, if that is unknown or contradicts its day, from the end of its day. A day counts when all of its filings are public,
-- and those before it. `is_partial`: some filings are public already that do not count yet.
create or replace macro asfiled.known_days() as table
with filing as (
  select distinct f.entity, f.accession, f.filed, case
    when f.accepted_at::timestamptz >= (f.filed - 5)::timestamp at time zone 'UTC' then f.accepted_at::timestamptz
    else (f.filed + 1)::timestamp at time zone asfiled.zone(f.market) end as known_at
  from asfiled.figures f),
moment as (select distinct g.entity, g.known_at from filing g),
bounded as (
  select m.entity, m.known_at, coalesce(min(g.filed) filter (g.known_at > m.known_at), date '9999-12-31') as first_unknown
  from moment m join filing g on g.entity = m.entity group by m.entity, m.known_at)
select b.entity, b.known_at, max(g.filed) filter (g.filed < b.first_unknown) as day, bool_or(g.filed >= b.first_unknown) as is_partial
from bounded b join filing g on g.entity = b.entity and g.known_at <= b.known_at
group by b.entity, b.known_at;

-- An instant of which the release knows every filing. A filing may be accepted up to five days before its filing day.
create or replace macro asfiled.instant_of_release(instant) as
  case when instant is null then error('A time is missing.')
       when typeof(instant) not like '%WITH TIME ZONE' and not regexp_full_match(instant::text, '.*\d:\d\d.*(Z|[+-]\d\d(:?\d\d)?)')
         then error(instant::text || ' has no time zone, and that of this session would change what was known. Convert it to timestamptz.')
       when instant::timestamptz >= (date {{asOf}} - 4)::timestamp at time zone 'UTC'
         then error('This release ends on ' || {{asOf}} || '. A filing may be accepted up to five days before the day under which it is filed, '
           || 'so the release is sure of instants before ' || (date {{asOf}} - 4)::text || ' UTC, and not of ' || instant::text || '.')
       else instant::timestamptz end;

-- Like asfiled.panel for rows with a column `time` (timestamp with time zone) in place of `date`: what was public by then. If
-- `is_partial`, only some of a company's filings of one day were public, and the figures are those before that day.
create or replace macro asfiled.panel_at(rows, metrics, fp := 'FY', max_age_days := null) as table
with asked as (
  select r.*, m.metric, asfiled.instant_of_release(r.time) as instant
  from query_table(rows) r cross join (select unnest(asfiled.metric_list(metrics)) as metric) m),
dated as (
  select a.*, coalesce(k.day, date '0001-01-01') as known_on, coalesce(k.is_partial, false) as is_partial
  from asked a asof left join asfiled.known_days() k on k.entity = a.entity and a.instant >= k.known_at),
joined as (
  select d.*, {'value': e.value, 'unit': e.unit, 'fp': e.fp, 'period_end': e.period_end, 'filed': e.filed, 'accession': e.accession} as v
  from dated d
  asof left join asfiled.events(metrics, fp) e on e.entity = d.entity and e.metric = d.metric and d.known_on >= e.day),
young as (
  select j.* replace (case when max_age_days is null
    or (j.instant at time zone asfiled.zone(c.market))::date - j.v.period_end <= max_age_days then j.v end as v)
  from joined j left join asfiled.companies c on c.entity = j.entity)
select y.* exclude (instant, known_on, v), y.v.value as value, y.v.unit as unit, y.v.fp as fp, y.v.period_end as period_end,
       y.v.filed as filed, y.v.accession as accession
from young y;
