-- Why: a cross-section reads one metric of every company of a market. In the order in which companies came, which is that
-- of their facts on disk and in the index fact_cross_section, it reads pages one after another; in that of tickers it
-- would jump for each company. A later company is appended, so pages never shift.
create index entity_of_market on entity (market, entity_id);

-- Why: a question for several companies counts each of them against the cap of its key. It is answered whole or
-- refused whole, and a refused one must use nothing up, so the companies are recorded together or not at all. `record_entity` stays for servers of the version before that share the database.

create function record_entities(of_key integer, of_entities integer[], cap integer) returns boolean
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
