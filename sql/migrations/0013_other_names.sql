-- Why: a company is looked for by the name that the reader knows: Toyota by its English name as well as by its own, a shop by
-- the name over its door. What a register states besides the name that is shown is kept here and found by the same terms.

-- `market` is the company's, which decides whether its names are matched word by word. `place` tells the order in which names
-- came.
create table entity_other_name (
  entity_id integer not null references entity,
  market text not null,
  name text not null,
  place bigint not null generated always as identity,
  search_name text generated always as (search_text(name)) stored,
  primary key (entity_id, name)
);
create index entity_other_name_search on entity_other_name using gin (search_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
