-- Why: a ticker of today is not the ticker of then. FB was Facebook until 2022, and another company before 2003. Each row is what one source
-- states of one symbol and one company. Which company had a symbol on a day is decided from all of them in one place
-- (src/facts/symbolSpells.ts), so the order in which they come decides nothing.
-- A company is named by its register's number, because lists may be imported before the company.

-- BRK.B, BRK-B and BRK/B are one symbol.
create function symbol_form(symbol text) returns text
language sql immutable strict parallel safe
return regexp_replace(upper(btrim(symbol)), '[./_ -]+', '-', 'g');

create table symbol_spell (
  symbol text not null check (symbol <> ''),
  form text not null generated always as (symbol_form(symbol)) stored,
  market text not null check (market ~ '^[A-Z]{2}$'),
  -- null: the source does not identify the company by more than `holder`.
  issuer_id text,
  -- The ID made of the register's number, or what the source calls the company.
  holder text not null,
  from_day date not null,
  -- The last day; null: the source states no end.
  to_day date check (to_day >= from_day),
  -- false: on `from_day` it was seen, and it may have begun before.
  is_beginning boolean not null,
  source text not null check (source in ('filing', 'register', 'operator')),
  -- The day on which this was first known here.
  known date not null,
  -- The accession of the filing that states it.
  document text,
  -- The latest symbol of a list whose company the register does not name yet. The import that names it sets `issuer_id`.
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

-- Since when the register's own list gives an ID to its company is the day of the version in which its row came.
create or replace view pinned.entity_ticker as
select ticker, entity_id, since_version
from (
  select ticker, entity_id, since_version, null::integer as until_version from entity_ticker
  union all
  select ticker, entity_id, since_version, until_version from entity_ticker_past) rows
where since_version <= pinned.version() and (until_version is null or until_version > pinned.version());

-- The names that documents state of their companies are found by their beginning, long after the register has changed them.
create index filing_company_name on filing (search_squeezed(search_text(company_name)) text_pattern_ops)
where company_name is not null;
