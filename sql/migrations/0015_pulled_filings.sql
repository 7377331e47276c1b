-- Why: a register that overwrites (Taiwan, New Zealand) says on each day what it holds on that day, and what a figure was
-- on which day follows from all days on which it was read. Facts keep the changes only; a reading between two known ones
-- that says something else cannot be placed among them without knowing on which other days the register was read, and
-- what it said then. So each thing that it ever said of a filing is kept once, with the days on which it said so, beside
-- the facts and not in them: readings may be imported in any order and any number of times.

create table pulled_filing (
  entity_id integer not null,
  -- Without the day of an edit.
  accession text not null,
  form text not null,
  -- The day of filing by the document itself.
  filed date not null,
  accepted_at timestamptz,
  -- In order; -infinity: on record from before readings were kept.
  days date[] not null,
  -- A list of [metric_id, tag_id, unit_id, start, end, value, rounded], days since 1970-01-01, in an order of its own.
  figures json not null
);
create index pulled_filing_entity on pulled_filing (entity_id);

-- A reading that is imported late may move a filing to an earlier day, or show that what was taken for an edit was said
-- before: the span of a market's filings may then become narrower. It is counted anew only where one of its ends went.
create function recount_filings(gone_market text) returns void language sql as $$
  update market_coverage c
  set (first_filed, last_filed) = (
    select min(f.filed), max(f.filed) from filing f join entity e on e.entity_id = f.entity_id where e.market = gone_market
  )
  where c.market = gone_market
$$;

create function narrow_filings() returns trigger language plpgsql as $$
begin
  perform recount_filings(market) from (
    select distinct e.market from gone g join entity e on e.entity_id = g.entity_id join market_coverage c on c.market = e.market
    where g.filed in (c.first_filed, c.last_filed)
  ) narrower;
  return null;
end
$$;
create trigger filing_gone after delete on filing
  referencing old table as gone for each statement execute function narrow_filings();

create function narrow_moved_filings() returns trigger language plpgsql as $$
begin
  perform recount_filings(market) from (
    select distinct e.market
    from gone g join added a on a.filing_id = g.filing_id and a.filed <> g.filed
    join entity e on e.entity_id = g.entity_id join market_coverage c on c.market = e.market
    where g.filed < 'infinity' and g.filed in (c.first_filed, c.last_filed)
  ) narrower;
  return null;
end
$$;
create trigger filing_moved after update on filing
  referencing old table as gone new table as added for each statement execute function narrow_moved_filings();
