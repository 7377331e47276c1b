-- Why: a backtest may rank companies by a figure of their own. On each date it needs what was known the day before, of
-- every company and thousands of dates: asking fact_as_of for each of them would take minutes. What a company's latest
-- figure is changes on few days, though, and between two of them it stays. So the question is asked once for each of
-- these days, and still of fact_as_of alone.

-- The days on which what fact_as_of tells of a company's full years of a metric may change: a vintage is filed, or one
-- ends (a ratio that lost its meaning ends without another). It says when to ask, never what is known.
create function fact_change_days(of_entity integer, of_metric smallint)
returns table (day date)
language sql stable parallel safe
as $$
  select f.filed from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0
  union
  select f.superseded from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0 and f.superseded < 'infinity'
$$;

-- A backtest by a figure counts each company that is ranked against the cap of its key. It is answered whole or refused
-- whole, and a refused one must use nothing up, so the companies are recorded together or not at all.
create or replace function record_entities(of_key integer, of_entities integer[], cap integer) returns boolean
language plpgsql
as $$
declare
  unseen integer[];
begin
  select array_agg(distinct e) into unseen
  from unnest(of_entities) e
  where not exists (select 1 from key_entity k where k.key_id = of_key and k.entity_id = e);
  if unseen is null then
    return true;
  end if;
  -- The key's row is locked, so parallel requests on any number of servers cannot pass the cap together. Each
  -- statement below sees what those before it have recorded.
  perform 1 from api_key where key_id = of_key for update;
  select array_agg(e) into unseen
  from unnest(unseen) e
  where not exists (select 1 from key_entity k where k.key_id = of_key and k.entity_id = e);
  if unseen is null then
    return true;
  end if;
  if (select count(*) from key_entity where key_id = of_key) + cardinality(unseen) > cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id) select of_key, e from unnest(unseen) e;
  return true;
end
$$;
