-- Why: no register publishes prices, so operators import those that they have a licence for. One row a price would take more than 60 bytes
-- and a second for every 100,000 rows. A block holds the prices of one security in one calendar year, every vintage of them, as columns.
-- Each price in a block names the import that it came with. An import has a data version, so a pinned reader sees what earlier versions
-- had although blocks are rewritten. When a set is removed, nothing of it is kept: its licence may have ended.
-- Upgrade: rolling. Older servers do not read these tables.

create table price_set (
  price_set_id integer generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- Whether closes are as traded, adjusted for later splits, or adjusted for later splits and dividends.
  basis text not null check (basis in ('raw', 'split_adjusted', 'total_return')),
  -- private: shown to nobody but the named readers. licence: also to the keys of these licences.
  access text not null default 'private' check (access in ('private', 'licence')),
  licences text[] not null default '{}',
  created_at timestamptz not null default now(),
  check ((access = 'licence') = (cardinality(licences) > 0))
);

-- A key, or all keys of an e-mail address, that may read a set whatever its licence.
create table price_set_reader (
  price_set_id integer not null references price_set on delete cascade,
  key_id integer references api_key,
  email text,
  check ((key_id is null) <> (email is null)),
  unique nulls not distinct (price_set_id, key_id, email)
);

create table price_import (
  import_id integer generated always as identity primary key,
  price_set_id integer not null references price_set on delete cascade,
  data_version integer not null,
  imported_at timestamptz not null default now(),
  -- The day up to which the splits of adjusted closes are known.
  basis_day date not null,
  file text not null,
  -- The rule by which rows became known: import, date, column, or the day that the operator stated.
  known text not null,
  rows_stored bigint not null,
  -- Whether the file has a column of split factors, of dividends and of delisting returns.
  states_splits boolean not null,
  states_dividends boolean not null,
  states_delistings boolean not null
);
create index price_import_set on price_import (price_set_id);

-- A security of a set. `entity_id` is null if nobody was known by its symbol; its prices are kept until an import or a list of symbols says whose they are.
create table price_asset (
  asset_id integer generated always as identity primary key,
  price_set_id integer not null references price_set on delete cascade,
  entity_id integer references entity,
  market text,
  -- The symbols by which its rows named it, the latest one last.
  symbols text[] not null check (cardinality(symbols) > 0),
  first_day date not null,
  last_day date not null,
  price_count integer not null
);
create index price_asset_set on price_asset (price_set_id, entity_id);
create index price_asset_entity on price_asset (entity_id) where entity_id is not null;

create table price_block (
  asset_id integer not null references price_asset on delete cascade,
  year smallint not null,
  bytes bytea not null,
  primary key (asset_id, year)
);
-- Blocks are compressed already, and most are a little larger than what PostgreSQL would move out of the row.
alter table price_block alter column bytes set storage external, set (toast_tuple_target = 8160);

-- The days on which securities of a market have a close, with the number of closes that came first with that data version. They are the
-- trading days from which forward returns count their horizons. The market is empty for securities without a company or market.
create table price_day (
  price_set_id integer not null references price_set on delete cascade,
  market text not null,
  day date not null,
  data_version integer not null,
  closes integer not null,
  primary key (price_set_id, market, day, data_version)
);
