-- Why: a key at its cap of companies could read figures of others: which of them a filter found decided between an answer and a refusal,
-- and a cursor could be made up. A page now counts its companies only while the key may still see as many as a page can have, so whether
-- it is answered does not depend on what is on it. Cursors are signed with a secret that all servers of a database share.
-- Upgrade: rolling. Older servers neither read the secret nor call the function. Their cursors are refused by newer servers, and newer ones by them.

-- Never leaves the database except in a backup, which has everything.
create table cursor_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null check (octet_length(secret) = 32)
);
-- Five random UUIDs have more than 600 random bits.
insert into cursor_secret (secret)
select sha256(convert_to(string_agg(gen_random_uuid()::text, ' '), 'UTF8')) from generate_series(1, 5);

-- Counts the companies of a page against the cap of its key. False, and none counts, unless the key may still see as many new
-- companies as a page of this size can have, whichever are on it.
create function record_page(of_key integer, of_entities integer[], page_limit integer, cap integer) returns boolean
language plpgsql
as $$
begin
  -- The key's row is locked, so parallel requests on any number of servers cannot pass the cap together. The statement after
  -- this one sees what those before it have recorded.
  perform 1 from api_key where key_id = of_key for update;
  if (select count(*) from key_entity where key_id = of_key) + page_limit > cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id)
  select of_key, e from unnest(of_entities) e
  on conflict do nothing;
  return true;
end
$$;
