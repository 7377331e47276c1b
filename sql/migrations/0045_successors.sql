-- Why: a company may continue under another registrant. Exxon Mobil's history until 2026 belongs to one CIK, and its later history to
-- another. Only a dated document, the register's own link or the operator's list makes a succession, from its own day; a symbol that moves
-- never does. Each registrant keeps its own figures. A lineage reads them together and counts once against a key's cap.
-- Upgrade: rolling. Older servers count companies with the new functions but do not follow lineages.

create table succession (
  market text not null check (market ~ '^[A-Z]{2}$'),
  -- Numbers of the register, because a list may be imported before the companies.
  predecessor text not null,
  successor text not null check (successor <> predecessor),
  -- The first day of the successor.
  from_day date not null,
  -- The day on which it was public: the document's day, or the first day if the list names no document on record.
  known date not null,
  source text not null check (source in ('filing', 'register', 'operator')),
  -- The accession of the filing.
  document text,
  primary key (market, predecessor, successor)
);
create index succession_successor on succession (market, successor);

call keep_past_rows('succession');

-- Each company with a number that all registrants of its lineage share, whenever they succeeded each other.
create function lineage_roots(of_entities integer[])
returns table (entity_id integer, root integer)
language sql stable
as $$
  with recursive link as materialized (
    select p.entity_id as one, s.entity_id as other
    from succession c
    join entity p on p.market || '' = c.market and p.issuer_id = c.predecessor
    join entity s on s.market || '' = c.market and s.issuer_id = c.successor),
  both_ways as materialized (select one, other from link union select other, one from link),
  member (entity_id, other) as (
    select one, one from both_ways
    union
    select m.entity_id, l.other from member m join both_ways l on l.one = m.other),
  root as materialized (select m.entity_id, min(m.other) as root from member m group by m.entity_id)
  select e.entity_id, coalesce(r.root, e.entity_id)
  from unnest(of_entities) as e (entity_id) left join root r on r.entity_id = e.entity_id
$$;

-- The number of companies that a key has seen, each lineage once.
create function lineages_seen(of_key integer, further integer[] default '{}') returns integer
language sql stable
as $$
  select count(distinct root)::int
  from lineage_roots(further || array(select entity_id from key_entity where key_id = of_key))
$$;

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
  -- Another registrant of a lineage that the key has seen is never refused, even if the lineage has been split since.
  if lineages_seen(of_key, unseen) > greatest(cap, lineages_seen(of_key)) then
    return false;
  end if;
  insert into key_entity (key_id, entity_id) select of_key, e from unnest(unseen) e;
  return true;
end
$$;

create or replace function record_page(of_key integer, of_entities integer[], page_limit integer, cap integer) returns boolean
language plpgsql
as $$
begin
  -- The key's row is locked, so parallel requests on any number of servers cannot pass the cap together. The statement after
  -- this one sees what those before it have recorded.
  perform 1 from api_key where key_id = of_key for update;
  if lineages_seen(of_key) + page_limit > cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id)
  select of_key, e from unnest(of_entities) e
  on conflict do nothing;
  return true;
end
$$;
