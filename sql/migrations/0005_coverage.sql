-- Why: the coverage index names every market with its number of entities and the days of its filings. Counting
-- 2.75 million entities takes most of a second and the filings far longer, so the sums are kept as rows arrive,
-- in the transaction that brings them: exact, and read in no time. The index serves the pages of tickers.

create index entity_coverage on entity (market, ticker, entity_id);

create table market_coverage (
  market text primary key,
  entities bigint not null default 0,
  first_filed date,
  last_filed date
);

insert into market_coverage (market, entities) select market, count(*) from entity group by market;
update market_coverage c set first_filed = s.first_filed, last_filed = s.last_filed
from (
  select e.market, min(f.filed) as first_filed, max(f.filed) as last_filed
  from filing f join entity e on e.entity_id = f.entity_id
  group by e.market
) s
where s.market = c.market;

create function count_entities() returns trigger language plpgsql as $$
begin
  insert into market_coverage as c (market, entities)
  select market, count(*) from added group by market order by market
  on conflict (market) do update set entities = c.entities + excluded.entities;
  return null;
end
$$;
create trigger entity_counted after insert on entity
  referencing new table as added for each statement execute function count_entities();

-- Only a filing that widens the span writes: an import of a register's middle years locks nothing.
create function span_filings() returns trigger language plpgsql as $$
begin
  update market_coverage c
  set first_filed = least(c.first_filed, s.first_filed), last_filed = greatest(c.last_filed, s.last_filed)
  from (
    select e.market, min(a.filed) as first_filed, max(a.filed) as last_filed
    from added a join entity e on e.entity_id = a.entity_id
    group by e.market
  ) s
  where c.market = s.market
    and (c.first_filed is null or s.first_filed < c.first_filed or s.last_filed > c.last_filed);
  return null;
end
$$;
create trigger filing_spanned after insert on filing
  referencing new table as added for each statement execute function span_filings();
create trigger filing_spanned_anew after update on filing
  referencing new table as added for each statement execute function span_filings();
