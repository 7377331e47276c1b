-- Why: tickers change hands. FB was Facebook until 2022, and another company's before 2003. Each row states what one source says about one
-- symbol and one company. Which company had a symbol on a day is decided from all rows in one place (src/facts/symbolSpells.ts), so the
-- order of imports does not matter. Companies are identified by the register's number, because a list may be imported before the company.

-- BRK.B, BRK-B and BRK/B are one symbol.
create function symbol_form(symbol text) returns text
language sql immutable strict parallel safe
return regexp_replace(upper(btrim(symbol)), '[./_ -]+', '-', 'g');

create table symbol_spell (
  symbol text not null check (symbol <> ''),
  form text not null generated always as (symbol_form(symbol)) stored,
  market text not null check (market ~ '^[A-Z]{2}$'),
  -- Null if `holder` is all that the source says about the company.
  issuer_id text,
  -- The ID made of the register's number, or what the source calls the company.
  holder text not null,
  from_day date not null,
  -- The last day; null: the source states no end.
  to_day date check (to_day >= from_day),
  -- False if the symbol was first seen on `from_day` and may be older.
  is_beginning boolean not null,
  source text not null check (source in ('filing', 'register', 'operator')),
  -- The day on which this was first known here.
  known date not null,
  -- The accession of the filing that states it.
  document text,
  -- The latest symbol in a list whose company the register does not name yet. The import that names the company sets `issuer_id`.
  pending text,
  unique nulls not distinct (form, market, holder, source, from_day, document)
);
create index symbol_spell_company on symbol_spell (market, issuer_id);
create index symbol_spell_pending on symbol_spell (pending) where issuer_id is null;
create index symbol_spell_search on symbol_spell (search_text(symbol) text_pattern_ops);

call keep_past_rows('symbol_spell');
create index symbol_spell_past_form on symbol_spell_past (form);
create index symbol_spell_past_company on symbol_spell_past (market, issuer_id);
create index symbol_spell_past_search on symbol_spell_past (search_text(symbol) text_pattern_ops);

-- The register's own list has given an ID to its company since the day of the version in which the row was added.
create or replace view pinned.entity_ticker as
select ticker, entity_id, since_version
from (
  select ticker, entity_id, since_version, null::integer as until_version from entity_ticker
  union all
  select ticker, entity_id, since_version, until_version from entity_ticker_past) rows
where since_version <= pinned.version() and (until_version is null or until_version > pinned.version());

-- Names in documents are found by their beginnings, long after the register has changed them.
create index filing_company_name on filing (search_squeezed(search_text(company_name)) text_pattern_ops)
where company_name is not null;
