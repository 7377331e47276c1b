-- Why: several companies may file one report, and the register's lists of figures have those of each company apart. Only one company's content
-- could be stored, and the report was shown for that company alone. A row is now one company's content of a filing.
-- Upgrade: servers with whole filings must be stopped first, because they read a filing by its number alone and would show the figures of one company
-- as those of another.

alter table whole_filing drop constraint whole_filing_pkey;
alter table whole_filing add primary key (filing_id, entity_id, seen_on);

alter table whole_filing_repeat add column entity_id integer;
update whole_filing_repeat r set entity_id = w.entity_id from whole_filing w where w.filing_id = r.filing_id;
delete from whole_filing_repeat where entity_id is null;
alter table whole_filing_repeat alter column entity_id set not null;
alter table whole_filing_repeat drop constraint whole_filing_repeat_pkey;
alter table whole_filing_repeat add primary key (filing_id, entity_id, seen_on);

-- A filing is one row of the change feed, under one of its companies, so its days are noted for all of them.
create or replace function note_future_filings() returns trigger
language plpgsql
as $$
begin
  insert into future_day (day, entity_id)
  select distinct d.day, v.entity_id
  from added a
  join filing l on l.filing_id = a.filing_id
  join whole_filing w on w.filing_id = a.filing_id
  join whole_filing v on v.filing_id = a.filing_id
  cross join lateral (values (l.filed), (w.seen_on)) d (day)
  where d.day >= import_day() and d.day < 'infinity'
  on conflict do nothing;
  return null;
end
$$;

-- The filing at a version: the first of its companies, its day and the version in which its latest content came. No row if it has no content
-- then.
create or replace function whole_filing_at(of_filing integer, at_version integer)
returns table (entity_id integer, filed date, data_version integer)
language sql stable parallel safe
as $$
  select min(w.entity_id), max(l.filed), max(w.since_version)
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

-- Of the filings whose first company is this one, those that did not change between both versions and became due after `since_day`, up to
-- `as_of`: the filing itself, or the content of any of its companies.
create or replace function whole_filing_matured(of_entity integer, since integer, upto integer, since_day date, as_of date)
returns table (version integer, change text, entity_id integer, filing_id integer, filed date, data_version integer)
language sql stable parallel safe
as $$
  select upto, 'filing', n.entity_id, w.filing_id, n.filed, n.data_version
  from (
    select own.filing_id, max(rows.seen_on) as seen_on
    from (
      select c.filing_id from whole_filing c where c.entity_id = of_entity
      union
      select p.filing_id from whole_filing_past p where p.entity_id = of_entity) own
    cross join lateral (
      select c.seen_on from whole_filing c
      where c.filing_id = own.filing_id and c.since_version <= since and c.seen_on <= as_of
      union all
      select p.seen_on from whole_filing_past p
      where p.filing_id = own.filing_id and p.since_version <= since and p.until_version > upto and p.seen_on <= as_of) rows
    group by own.filing_id) w
  cross join lateral whole_filing_at(w.filing_id, upto) n
  where n.entity_id = of_entity and n.filed <= as_of and (n.filed > since_day or w.seen_on > since_day)
    and not whole_filing_touched(w.filing_id, since, upto)
$$;
