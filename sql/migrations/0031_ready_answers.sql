-- Why: a company that no one has requested for a while lies on disk. Its `view=latest` reads its ID, its name, its other IDs and every
-- metric, each on pages of its own, and its history every filing. Here is what one ID shows today, in one row: the company that it names,
-- and the rows of view=latest and of view=history. It is a copy, and never a source: it is made of fact_as_of, and each change of what it shows removes it in the same
-- transaction, whoever makes the change. A server that finds no row reads the tables.
-- Upgrade: rolling. Older servers do not read it, and what they write removes its rows.
-- The row has figures and no text of an answer, so that day, data version, licence, format and notices are those of the request.

create table ready_answer (
  ticker text primary key,
  entity_id integer not null,
  -- They are those of every day from `first_day` on, before `end_day`: the next day on which a figure on record is filed or ends.
  first_day date not null,
  end_day date not null,
  preferred text not null,
  issuer_id text not null,
  market text not null,
  name text,
  twin text,
  -- [[fy, fp, end, filed, unit, 1 if derived + 2 if of an earlier generation, until, metric, value, metric, value, ...], ...]
  latest text not null,
  -- The same. null: there are more than a thousand rows, or two filings of one day state one figure. Which of these comes first is read
  -- from the filings, and their changes remove no row here.
  history text,
  check (first_day < end_day)
);
-- A long row stays on its page, compressed: a page of its own would be a further read from disk.
alter table ready_answer alter column latest set storage main, alter column history set storage main;

-- How far the companies were looked through for such that lack theirs: `upto` is the number of a company, null where all were, in the
-- pass that began on `day`. A pass begins each day, for the rows that have ended, and after a bulk load.
create table ready_sweep (
  only_row boolean primary key default true check (only_row),
  day date not null,
  upto integer
);
insert into ready_sweep (day, upto) values (import_day(), 0);

-- An earlier data version has none: a pinned request reads the tables as they stood.
do $$
begin
  execute format('create view pinned.ready_answer as select * from %I.ready_answer where false', current_schema());
end
$$;

-- A day as a text of JSON, whatever the DateStyle of the connection.
create function ready_group(fy smallint, fp smallint, period_end date, filed date, unit text, kind integer, until date, figures text) returns text
language sql immutable parallel safe
return format('[%s,%s,%s,%s,%s,%s,%s,%s]', fy, fp, to_json(period_end), to_json(filed), to_json(unit), kind,
              coalesce(to_json(until)::text, 'null'), figures);

-- The IDs of these companies that have no row, or one that has ended, get theirs. Nothing is done while another transaction changes what
-- readers see (it would not see that change, and the change would not find the row), nor during a bulk load, which has dropped
-- an index: the rows are made afterwards. Returns how many rows it made; null: it was not its turn.
create function fill_ready_answers(companies integer[]) returns integer
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off set extra_float_digits = 1
as $$
declare
  today constant date := import_day();
  made integer;
begin
  if to_regclass('fact_cross_section') is null then
    update ready_sweep set upto = 0 where upto is distinct from 0;
    return null;
  end if;
  -- Who changes what readers see holds this row for update, from before the change until its end (next_data_version).
  perform from data_version for share skip locked;
  if not found then return null; end if;
  delete from ready_answer r using unnest(companies) c, entity_ticker t
  where t.entity_id = c and r.ticker = t.ticker and r.end_day <= today;
  insert into ready_answer (ticker, entity_id, first_day, end_day, preferred, issuer_id, market, name, twin, latest, history)
  select t.ticker, e.entity_id, today, known.next_day, e.ticker, e.issuer_id, e.market, e.name,
         (select min(o.ticker) from entity_ticker o
          where o.entity_id = e.entity_id and o.ticker <> t.ticker and split_part(o.ticker, '.', 1) = split_part(t.ticker, '.', 1)),
         latest.rows,
         case when known.vintages <= 1000 and known.vintages = (
             select count(*) from (
               select distinct f.metric_id, f.period_end, f.filed, f.fp from fact_as_of(today) f where f.entity_id = c) places)
           then (
             select '[' || coalesce(string_agg(ready_group(g.fy, g.fp, g.period_end, g.filed, g.unit, g.kind, g.until, g.figures), ','), '') || ']'
             from (
               select f.fy, f.fp, f.period_end, f.filed, u.name as unit, (f.tag_id is null)::int + 2 * f.is_earlier::int as kind, f.until,
                      string_agg(to_json(m.name) || ',' || to_json(f.value), ',') as figures
               from fact_as_of(today) f join metric m on m.metric_id = f.metric_id join unit u on u.unit_id = f.unit_id
               where f.entity_id = c
               group by 1, 2, 3, 4, 5, 6, 7) g) end
  from unnest(companies) c
  join entity e on e.entity_id = c
  join entity_ticker t on t.entity_id = c
  cross join lateral (
    select count(*) filter (where f.fp < 5 and f.filed <= today) as vintages,
           coalesce(min(least(
             case when f.filed > today then f.filed end,
             case when f.superseded > today then f.superseded end,
             case when f.earlier_since > today then f.earlier_since end)), 'infinity') as next_day
    from fact f where f.entity_id = c) known
  cross join lateral (
    select '[' || coalesce(string_agg(ready_group(g.fy, g.fp, g.period_end, g.filed, g.unit, g.kind, null, g.figures), ','), '') || ']' as rows
    from (
      select l.fy, l.fp, l.period_end, l.filed, u.name as unit, (l.tag_id is null)::int + 2 * l.is_earlier::int as kind,
             string_agg(to_json(m.name) || ',' || to_json(l.value), ',') as figures
      from metric m
      cross join lateral (
        select f.fy, f.fp, f.period_end, f.filed, f.value, f.unit_id, f.tag_id, f.is_earlier
        from fact_as_of(today) f
        where f.entity_id = c and f.metric_id = m.metric_id and f.current
        order by f.period_end desc, (f.fp = 0) desc, f.fp desc
        limit 1) l
      join unit u on u.unit_id = l.unit_id
      where not m.is_trailing
      group by 1, 2, 3, 4, 5, 6) g) latest
  where not exists (select from ready_answer r where r.ticker = t.ticker)
    -- An answer names the companies that had the ID before, by the IDs that they have now: such an ID has no row.
    and not exists (select from entity_former_id f where f.ticker = t.ticker)
  on conflict do nothing;
  get diagnostics made = row_count;
  return made;
end
$$;

-- Fills the ready answers of the next `slice` companies of the pass. Of several servers one does it. Returns whether there is more to do.
create function sweep_ready_answers(slice integer) returns boolean
language plpgsql
as $$
declare
  pass ready_sweep%rowtype;
  companies integer[];
begin
  select * into pass from ready_sweep for update skip locked;
  if not found or (pass.upto is null and pass.day >= import_day()) then return false; end if;
  if pass.upto is null then
    pass.upto := 0;
    pass.day := import_day();
  end if;
  companies := array(select entity_id from entity where entity_id > pass.upto order by entity_id limit slice);
  if cardinality(companies) > 0 and fill_ready_answers(companies) is null then return true; end if;
  update ready_sweep set day = pass.day, upto = companies[cardinality(companies)];
  return cardinality(companies) > 0;
end
$$;

-- Removes what shows the rows that a statement adds, changes or removes. The lock comes first: who makes a row at this moment ends
-- before, and its row is found.
create function drop_ready_answers() returns trigger
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  if tg_op <> 'DELETE' then
    if exists (select from added) then
      perform next_data_version();
      delete from ready_answer where ticker in (
        select t.ticker from (select distinct entity_id from added) c join entity_ticker t on t.entity_id = c.entity_id);
    end if;
  end if;
  if tg_op <> 'INSERT' then
    if exists (select from gone) then
      perform next_data_version();
      delete from ready_answer where ticker in (
        select t.ticker from (select distinct entity_id from gone) c join entity_ticker t on t.entity_id = c.entity_id);
    end if;
  end if;
  return null;
end
$$;

-- The same for rows that name an ID themselves.
create function drop_ready_answers_of_ids() returns trigger
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
begin
  if tg_op <> 'DELETE' then
    if exists (select from added) then
      perform next_data_version();
      delete from ready_answer where ticker in (select ticker from added);
    end if;
  end if;
  if tg_op <> 'INSERT' then
    if exists (select from gone) then
      perform next_data_version();
      delete from ready_answer where ticker in (select ticker from gone);
    end if;
  end if;
  return null;
end
$$;

create function drop_all_ready_answers() returns trigger language plpgsql as $$
begin
  perform next_data_version();
  delete from ready_answer;
  return null;
end
$$;

do $$
declare
  source record;
begin
  for source in
    select * from (values
      ('fact', 'drop_ready_answers'), ('entity', 'drop_ready_answers'), ('entity_ticker', 'drop_ready_answers'),
      ('entity_ticker', 'drop_ready_answers_of_ids'), ('entity_former_id', 'drop_ready_answers_of_ids')) s (name, action)
  loop
    -- A new company has no row; its IDs come in entity_ticker.
    if source.name <> 'entity' then
      execute format('create trigger %I after insert on %I referencing new table as added for each statement execute function %I()',
        source.action || '_added', source.name, source.action);
    end if;
    execute format('create trigger %I after update on %I referencing old table as gone new table as added for each statement execute function %I()',
      source.action || '_updated', source.name, source.action);
    execute format('create trigger %I after delete on %I referencing old table as gone for each statement execute function %I()',
      source.action || '_deleted', source.name, source.action);
  end loop;
  for source in select unnest(array['fact', 'entity', 'entity_ticker', 'entity_former_id']) as name loop
    execute format('create trigger drop_all_ready_answers after truncate on %I for each statement execute function drop_all_ready_answers()',
      source.name);
  end loop;
  -- Names are added and never changed. Who changes one all the same changes every row.
  for source in select unnest(array['metric', 'unit']) as name loop
    execute format(
      'create trigger drop_all_ready_answers after update or delete or truncate on %I for each statement execute function drop_all_ready_answers()',
      source.name);
  end loop;
end
$$;
