-- Why: an ID names a security by the symbols of its rows, and a security goes on where another one with its symbol ends. The list of symbols
-- of a security had no versions, so an import that added one changed answers of earlier data versions and as of earlier days. A row
-- here says that rows of a security name a symbol, from which day on, from which day on that is known, and with which data version. A
-- row is stored only if it says more than those before it. `price_asset.symbols` has the symbols of every version, by which imports
-- find the security of a row.
-- Upgrade: rolling. Which rows named which of several symbols was not stored, so symbols imported before count from the start. The only
-- symbol of a security is exact: it is there whenever a row is.
create table price_symbol (
  asset_id integer not null references price_asset on delete cascade,
  symbol text not null,
  -- The first day of the rows that are known on known_day and name the symbol.
  first_day date not null,
  known_day date not null,
  data_version integer not null,
  primary key (asset_id, symbol, known_day, data_version)
);

-- Each symbol begins a day after the one before, which keeps their order.
insert into price_symbol (asset_id, symbol, first_day, known_day, data_version)
select a.asset_id, s.symbol, a.first_day + s.at::int - 1, a.first_day, 0
from price_asset a cross join unnest(a.symbols) with ordinality as s (symbol, at);
