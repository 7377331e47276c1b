-- Why: a mirror of whole filings must learn which filings became known or have another content. Each is one row of the change feed, whatever
-- the number of its figures, so what changed is found from the versions that whole_filing and filing remember of themselves. A filing that
-- becomes due without an import is found by future_day, as its mapped figures are; one without mapped figures would be missed there.
-- Upgrade: rolling. Older servers neither call the functions nor notice the trigger.

create index whole_filing_since on whole_filing (since_version) where since_version > 0;

create function note_future_filings() returns trigger
language plpgsql
as $$
begin
  insert into future_day (day, entity_id)
  select distinct d.day, w.entity_id
  from added a
  join filing l on l.filing_id = a.filing_id
  join whole_filing w on w.filing_id = a.filing_id
  cross join lateral (values (l.filed), (w.seen_on)) d (day)
  where d.day >= import_day() and d.day < 'infinity'
  on conflict do nothing;
  return null;
end
$$;
create trigger whole_filing_future after insert on whole_filing
  referencing new table as added for each statement execute function note_future_filings();
-- The day of a filing may change after its content was stored.
create trigger filing_future after update on filing
  referencing new table as added for each statement execute function note_future_filings();

insert into future_day (day, entity_id)
select distinct d.day, w.entity_id
from whole_filing w
join filing l on l.filing_id = w.filing_id
cross join lateral (values (l.filed), (w.seen_on)) d (day)
where d.day >= import_day() and d.day < 'infinity'
on conflict do nothing;

-- The filing at a version: its company, day and the version in which its content came. No row if it has no content then.
create function whole_filing_at(of_filing integer, at_version integer)
returns table (entity_id integer, filed date, data_version integer)
language sql stable parallel safe
as $$
  select max(w.entity_id), max(l.filed), max(w.since_version)
  from (
    select entity_id, since_version from whole_filing
    where filing_id = of_filing and since_version <= at_version
    union all
    select entity_id, since_version from whole_filing_past
    where filing_id = of_filing and since_version <= at_version and until_version > at_version) w
  cross join (
    select filed from filing where filing_id = of_filing and since_version <= at_version
    union all
    select filed from filing_past
    where filing_id = of_filing and since_version <= at_version and until_version > at_version) l
  having count(*) > 0
$$;

-- Whether the content, day or form of a filing changed in the versions after `after`, up to `upto`.
create function whole_filing_touched(of_filing integer, after integer, upto integer)
returns boolean
language sql stable parallel safe
as $$
  select exists (
      select from whole_filing where filing_id = of_filing and since_version > after and since_version <= upto)
    or exists (
      select from whole_filing_past
      where filing_id = of_filing
        and (until_version > after and until_version <= upto or since_version > after and since_version <= upto))
    or exists (
      select from filing_past g
      where g.filing_id = of_filing and g.until_version > after and g.until_version <= upto
        and not exists (
          select from filing l
          where l.filing_id = g.filing_id and l.since_version = g.until_version and (l.filed, l.form) = (g.filed, g.form)))
$$;

-- The filings whose content, day or form changed in the versions `first` to `last` and in no later one up to `upto`, each once. `filing_removed` if
-- the filing was there at `since` and is not at `upto`. As of a day: a filing that is filed later is not there.
create function whole_filing_changes(since integer, upto integer, first integer, last integer, as_of date)
returns table (version integer, change text, entity_id integer, filing_id integer, filed date, data_version integer)
language sql stable parallel safe
as $$
  with touched as (
    select filing_id, since_version as version from whole_filing where since_version > 0 and since_version between first and last
    union all
    select filing_id, since_version from whole_filing_past where until_version > upto and since_version between first and last
    union all
    select filing_id, until_version from whole_filing_past where until_version between first and last
    union all
    select g.filing_id, g.until_version from filing_past g
    where g.until_version between first and last and not exists (
      select from filing l where l.filing_id = g.filing_id and l.since_version = g.until_version and (l.filed, l.form) = (g.filed, g.form))
  ), latest as (
    select filing_id, max(version) as version from touched group by filing_id
  )
  select t.version, case when n.filed <= as_of then 'filing' else 'filing_removed' end,
         coalesce(n.entity_id, o.entity_id), t.filing_id, coalesce(n.filed, o.filed), n.data_version
  from latest t
  left join lateral whole_filing_at(t.filing_id, upto) n on true
  left join lateral whole_filing_at(t.filing_id, since) o on true
  where (n.filed <= as_of or o.filed <= as_of)
    and not whole_filing_touched(t.filing_id, last, upto)
$$;

-- Of one company the filings that did not change between both versions and became due after `since_day`, up to `as_of`.
create function whole_filing_matured(of_entity integer, since integer, upto integer, since_day date, as_of date)
returns table (version integer, change text, entity_id integer, filing_id integer, filed date, data_version integer)
language sql stable parallel safe
as $$
  select upto, 'filing', w.entity_id, w.filing_id, n.filed, n.data_version
  from (
    select filing_id, entity_id, max(seen_on) as seen_on
    from (
      select filing_id, entity_id, seen_on from whole_filing where entity_id = of_entity and since_version <= since and seen_on <= as_of
      union all
      select filing_id, entity_id, seen_on from whole_filing_past
      where entity_id = of_entity and since_version <= since and until_version > upto and seen_on <= as_of) rows
    group by filing_id, entity_id) w
  cross join lateral whole_filing_at(w.filing_id, upto) n
  where n.filed <= as_of and (n.filed > since_day or w.seen_on > since_day)
    and not whole_filing_touched(w.filing_id, since, upto)
$$;
