-- Why: an ID that was ever served stays valid: what an import takes from a company is remembered and leads to it, unless another
-- company has it today. Filings are listed by day and say how many figures they state, and what a document says of its company
-- on its own day (name, industry) is kept with the filing, so that a past day shows what was known then.
-- Facts are not rewritten. Of filings the figures on record are counted once.

-- An ID may have had several companies: the one that gave it up last comes first (`place`).
create table entity_former_id (
  ticker text not null,
  entity_id integer not null references entity,
  place bigint not null generated always as identity,
  primary key (ticker, entity_id)
);
create index entity_former_id_entity on entity_former_id (entity_id);
create index entity_former_id_search on entity_former_id (search_text(ticker) text_pattern_ops);

-- As the filing's own document states them. `figures`: how many figures of it are on record, served or not.
alter table filing add column company_name text;
alter table filing add column sector text;
alter table filing add column figures integer not null default 0;

-- As the register states them today, without a day.
alter table entity add column sector text;
alter table entity add column exchange text;
alter table entity add column status text;

-- Outside the United States an accession begins with the market and a colon.
create function filing_market(accession text) returns text
language sql immutable strict parallel safe
return case when substr(accession, 3, 1) = ':' then left(accession, 2) else 'US' end;

-- Without their triggers: no day and no company changes.
alter table filing disable trigger user;
update filing set figures = counted.figures
from (
  select filing_id, count(*)::int as figures
  from (select filing_id from fact where tag_id is not null union all select filing_id from fact_repeat) stated
  group by filing_id
) counted
where filing.filing_id = counted.filing_id;
alter table filing enable trigger user;

create index filing_of_market on filing (filing_market(accession), filed desc, accession desc);
