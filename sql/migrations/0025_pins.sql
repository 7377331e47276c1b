-- Why: a training set or a backtest has to be made again as it was, although figures were imported, corrected and removed since.
-- The store remembers itself: rows that are replaced or removed stay in `<table>_past` with the data version that ended them, and
-- every row has the version that it came in. The schema `pinned` shows each table as it stood at the version of the connection
-- (`asfiled.pin`). Every reader's statement runs there unchanged, so that the as-of rule stays one.
-- No row is rewritten. Versions before this migration cannot be pinned.

-- The oldest data version that can be pinned. KEEP_VERSIONS moves it; the rows that only older ones need are removed when every
-- read that began before has ended.
create table oldest_pin (
  only_row boolean primary key default true check (only_row),
  version integer not null,
  moved_at timestamptz not null default now()
);
insert into oldest_pin (version) select version from data_version;

-- The version that the rows of this transaction come in. It locks the row of `data_version` until the transaction ends, so that no
-- other one can take the number.
create function next_data_version() returns integer language plpgsql as $$
declare
  known text := nullif(current_setting('asfiled.next_version', true), '');
  upcoming integer;
begin
  if known is not null then return known::integer; end if;
  select version + 1 into strict upcoming from data_version for update;
  perform set_config('asfiled.next_version', upcoming::text, true);
  return upcoming;
end
$$;

-- The same for the default of a column, after `begin_version`. A volatile default would make COPY insert row by row.
create function version_under_way() returns integer
language sql stable parallel safe
return nullif(current_setting('asfiled.next_version', true), '')::integer;

-- Whether this transaction has changed a row that readers see: then it must advance the data version.
create function data_changed() returns boolean
language sql stable
return coalesce(current_setting('asfiled.data_changed', true) = 'yes', false);

create function begin_version() returns trigger language plpgsql as $$
begin
  perform next_data_version();
  return null;
end
$$;

create function note_rows() returns trigger language plpgsql as $$
begin
  if exists (select from added) then perform set_config('asfiled.data_changed', 'yes', true); end if;
  return null;
end
$$;

create function stamp_row() returns trigger language plpgsql as $$
begin
  new.since_version := next_data_version();
  return new;
end
$$;

-- The other tables have `since_version`. In `fact`, `data_version` is the version in which the figure came, and answers name it; this
-- is the version in which its row was last changed. null: never, which takes no space.
alter table fact add column amended_version integer;
-- For writers that name no version. The import names it, so that COPY need not call this for every row.
alter table fact alter column data_version set default next_data_version();

create function stamp_fact() returns trigger language plpgsql as $$
begin
  new.amended_version := next_data_version();
  return new;
end
$$;

-- Copies the rows that a statement replaced or removed, except those that came in this very version: nobody was served these.
create function keep_facts() returns trigger language plpgsql as $$
declare
  ending integer;
begin
  if not exists (select from gone) then return null; end if;
  ending := next_data_version();
  perform set_config('asfiled.data_changed', 'yes', true);
  insert into fact_past
  select ending, gone.* from gone where coalesce(gone.amended_version, gone.data_version) < ending;
  return null;
end
$$;

create table fact_past (until_version integer not null, like fact);
create index fact_past_company on fact_past (entity_id, metric_id, period_end desc, filed desc, fp, filing_id);
create index fact_past_cross_section on fact_past (metric_id, entity_id, period_end desc, filed desc) where fp < 5;
create index fact_past_until on fact_past (until_version);

create trigger fact_stamped before update on fact for each row execute function stamp_fact();
create trigger fact_updated after update on fact
  referencing old table as gone for each statement execute function keep_facts();
create trigger fact_deleted after delete on fact
  referencing old table as gone for each statement execute function keep_facts();

do $$
declare
  name text;
begin
  foreach name in array array['entity', 'entity_ticker', 'entity_former_id', 'entity_other_name', 'filing', 'signal', 'market_coverage']
  loop
    -- Rows on record came in some version before this migration.
    execute format('alter table %I add column since_version integer not null default 0', name);
    execute format('alter table %I alter column since_version set default version_under_way()', name);
    execute format('create table %I (until_version integer not null, like %I)', name || '_past', name);
    execute format('create index %I on %I (until_version)', name || '_past_until', name || '_past');
    execute format(
      'create function %I() returns trigger language plpgsql as $body$
declare
  ending integer;
begin
  if not exists (select from gone) then return null; end if;
  ending := next_data_version();
  perform set_config(''asfiled.data_changed'', ''yes'', true);
  insert into %I select ending, gone.* from gone where gone.since_version < ending;
  return null;
end
$body$', 'keep_' || name, name || '_past');
    execute format('create trigger %I before insert on %I for each statement execute function begin_version()', name || '_begun', name);
    execute format('create trigger %I after insert on %I referencing new table as added for each statement execute function note_rows()',
      name || '_added', name);
    execute format('create trigger %I before update on %I for each row execute function stamp_row()', name || '_stamped', name);
    execute format('create trigger %I after update on %I referencing old table as gone for each statement execute function %I()',
      name || '_updated', name, 'keep_' || name);
    execute format('create trigger %I after delete on %I referencing old table as gone for each statement execute function %I()',
      name || '_deleted', name, 'keep_' || name);
  end loop;
end
$$;

-- Open forecasts are in no answer, so that none has to be remembered.
create or replace function keep_signal() returns trigger language plpgsql as $$
declare
  ending integer;
begin
  if not exists (select from gone) then return null; end if;
  ending := next_data_version();
  perform set_config('asfiled.data_changed', 'yes', true);
  insert into signal_past select ending, gone.* from gone where gone.since_version < ending and gone.actual is not null;
  return null;
end
$$;

create index entity_past_entity on entity_past (entity_id);
create index entity_past_of_market on entity_past (market, entity_id);
create index entity_past_coverage on entity_past (market, ticker, entity_id);
create index entity_past_issuer on entity_past (market, issuer_id);
create index entity_ticker_past_ticker on entity_ticker_past (ticker);
create index entity_ticker_past_entity on entity_ticker_past (entity_id);
create index entity_former_id_past_ticker on entity_former_id_past (ticker, entity_id);
create index entity_former_id_past_entity on entity_former_id_past (entity_id);
create index entity_other_name_past_entity on entity_other_name_past (entity_id);
create index filing_past_id on filing_past (filing_id);
create index filing_past_entity on filing_past (entity_id);
create index filing_past_of_market on filing_past (filing_market(accession), filed desc, accession desc);
create index signal_past_key on signal_past (horizon, date, ticker, market);
create index signal_past_served on signal_past (date desc, ticker, horizon, market) where actual is not null;
create index signal_past_served_market on signal_past (market, date desc, ticker, horizon) where actual is not null;
create index market_coverage_past_market on market_coverage_past (market);

create schema pinned;

-- The version of this connection. It is set when the connection opens and never changes, so the planner may put its value into
-- plans: as a stable function it would be called for every row. Without a setting it fails.
create function pinned.version() returns integer
language plpgsql immutable parallel safe
as $$ begin return current_setting('asfiled.pin')::integer; end $$;

create view pinned.data_version as select true as only_row, pinned.version()::bigint as version;

-- The conditions stand outside of the union: then the planner makes one scan of both tables, each by its index and in its order. Inside
-- it would read and sort all rows for a page. They are on columns as they are, because the planner has statistics of these.
create view pinned.fact as
select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
       data_version, earlier_since, inputs
from (
  select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
         data_version, earlier_since, inputs, amended_version, null::integer as until_version
  from fact
  union all
  select value, entity_id, filing_id, period_end, filed, superseded, period_start, tag_id, metric_id, fy, unit_id, fp, period_rounded,
         data_version, earlier_since, inputs, amended_version, until_version
  from fact_past) rows
where data_version <= pinned.version() and (amended_version is null or amended_version <= pinned.version())
  and (until_version is null or until_version > pinned.version());

do $$
declare
  name text;
  columns text;
begin
  foreach name in array array['entity', 'entity_ticker', 'entity_former_id', 'entity_other_name', 'filing', 'signal', 'market_coverage']
  loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into columns
    from pg_attribute
    where attrelid = name::regclass and attnum > 0 and not attisdropped and attname <> 'since_version';
    execute format('create view pinned.%I as
      select %s from (
        select %s, since_version, null::integer as until_version from %I
        union all
        select %s, since_version, until_version from %I) rows
      where since_version <= pinned.version() and (until_version is null or until_version > pinned.version())',
      name, columns, columns, name, columns, name || '_past');
  end loop;
end
$$;

-- The as-of rule of the pinned schema is made of the text of the one rule. Only the filing of a figure is found in another way: in a view
-- of two tables the planner cannot see that a filing is there once, so it would read all filings for the figures of one company.
do $$
declare
  name text;
begin
  foreach name in array array['fact_as_of', 'trailing_as_of']
  loop
    execute (
      select format('create function pinned.%I(%s) returns %s language sql stable parallel safe as %L',
        proname, pg_get_function_arguments(oid), pg_get_function_result(oid),
        replace(prosrc, 'left join filing l on l.filing_id = f.filing_id',
          'left join lateral (select accession, accepted_at, form from filing where filing_id = f.filing_id limit 1) l on true'))
      from pg_proc where oid = name::regproc);
  end loop;
end
$$;
