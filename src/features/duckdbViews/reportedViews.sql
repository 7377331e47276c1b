
-- Every figure as its filing states it, and the lines of the statements.
create or replace view asfiled.reported_figures as select r.* from read_parquet({{reportedFigures}}, hive_partitioning = false) r;
create or replace view asfiled.reported_lines as select r.* from {{reportedLines}} r;

-- The figures of all filings up to the end of a day, as those filings stated them then. If a register edits what it published, the last
-- content that was seen by the day counts, and before that the first one.
create or replace macro asfiled.reported_as_of(day, tag := null) as table
with seen as (
  select f.entity, f.accession, f.seen_on from asfiled.reported_figures f where f.seen_on is not null
  union
  select l.entity, l.accession, l.seen_on from asfiled.reported_lines l where l.seen_on is not null),
content as (
  select s.entity, s.accession, coalesce(max(s.seen_on) filter (s.seen_on <= asfiled.day_of_release(day)), min(s.seen_on)) as seen_on
  from seen s group by s.entity, s.accession)
select f.*
from asfiled.reported_figures f left join content c on c.entity = f.entity and c.accession = f.accession
where f.filed <= asfiled.day_of_release(day) and f.seen_on is not distinct from c.seen_on and (tag is null or f.tag = tag);
