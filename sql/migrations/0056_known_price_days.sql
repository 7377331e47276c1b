-- Why: forward returns count trading days, and which days these are must be read as of the day on which prices are known, too: a close of a
-- holiday that was stated years later moved the horizons of answers as of earlier days. A row now says by how many the securities with a
-- close on its day change, from the known day on, with the data version. The sum over known days and versions is exact for every
-- pair of them. Securities that are given their company later say with which data version, so that earlier versions stay as they were.
-- Upgrade: rolling. Days imported before count from their own day; remove and import a set again if its prices were known later.
alter table price_day add column known_day date;
update price_day set known_day = day;
alter table price_day alter column known_day set not null;
alter table price_day drop constraint price_day_pkey;
alter table price_day add primary key (price_set_id, market, day, known_day, data_version);

alter table price_asset add column adopted_version integer;
