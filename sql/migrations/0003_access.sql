-- Why: who may see what, and how often, has to be decided alike by every server on one database and has to
-- survive all of them. A key is known by its SHA-256 only. A grant stores the limits it was sold with, so a
-- change of the price list never lowers what somebody already has. Counters live here and not in a server.

create table api_key (
  key_id integer generated always as identity primary key,
  digest bytea not null unique check (octet_length(digest) = 32),
  -- The beginning of the key, enough to name it (`keys revoke`), far too little to guess it.
  prefix text not null,
  last_four text not null check (length(last_four) = 4),
  email text not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create index api_key_prefix on api_key (prefix text_pattern_ops);

create table key_grant (
  grant_id integer generated always as identity primary key,
  key_id integer not null references api_key,
  licence text not null
    check (licence in ('free', 'evaluation', 'personal', 'commercial', 'redistribution', 'oem')),
  quant boolean not null,
  per_minute integer not null check (per_minute > 0),
  per_day integer check (per_day > 0),
  entity_cap integer check (entity_cap > 0),
  bulk boolean not null,
  -- One evaluation for each e-mail domain, for ever: the index below decides, not a look before the deed.
  evaluation_domain text check ((licence = 'evaluation') = (evaluation_domain is not null)),
  granted_at timestamptz not null default now(),
  expires_at timestamptz
);
create index key_grant_key on key_grant (key_id);
create unique index key_grant_evaluation on key_grant (evaluation_domain);

-- The companies that a capped key has seen.
create table key_entity (
  key_id integer not null references api_key,
  entity_id integer not null,
  first_seen_at timestamptz not null default now(),
  primary key (key_id, entity_id)
);

-- True when the key has seen the company before or may still see a new one. The key's row is locked, so
-- parallel requests on any number of servers cannot pass the cap together.
create function record_entity(of_key integer, of_entity integer, cap integer) returns boolean
language plpgsql
as $$
begin
  perform 1 from key_entity where key_id = of_key and entity_id = of_entity;
  if found then
    return true;
  end if;
  perform 1 from api_key where key_id = of_key for update;
  perform 1 from key_entity where key_id = of_key and entity_id = of_entity;
  if found then
    return true;
  end if;
  if (select count(*) from key_entity where key_id = of_key) >= cap then
    return false;
  end if;
  insert into key_entity (key_id, entity_id) values (of_key, of_entity);
  return true;
end
$$;

-- What a subject (a key, an address) has used: in the minute it was last seen in, in the minute before that
-- one, and in that UTC day. Rows are updated in place (no index but `day` covers what changes), hence the room.
create table limit_counter (
  subject text primary key,
  minute bigint not null,
  used integer not null,
  used_before integer not null,
  day integer not null,
  used_today integer not null,
  -- Of the last call: how many of the wanted hits were granted, and when, in seconds since 1970.
  granted integer not null,
  at double precision not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index limit_counter_day on limit_counter (day);

-- One step of a counter. The minute limit slides: what was used in this minute plus what was used in the one
-- before, weighted with the part of it that a sliding minute still covers. A refused hit is not counted.
create function limit_step(
  state limit_counter, wanted integer, per_minute integer, per_day integer, clock double precision
) returns limit_counter
language plpgsql immutable
as $$
declare
  now_minute bigint := floor(clock / 60);
  elapsed double precision := clock - floor(clock / 60) * 60;
  now_day integer := floor(clock / 86400);
  room integer;
begin
  if now_minute = state.minute + 1 then
    state.used_before := state.used;
    state.used := 0;
  elsif now_minute > state.minute then
    state.used_before := 0;
    state.used := 0;
  elsif now_minute < state.minute then
    -- The clock was set back: nothing is forgotten, the minute just lasts longer.
    now_minute := state.minute;
    elapsed := 0;
  end if;
  if now_day > state.day then
    state.used_today := 0;
  end if;
  state.minute := now_minute;
  state.day := greatest(now_day, state.day);
  room := floor(per_minute - state.used - state.used_before * (60 - elapsed) / 60 + 1e-9);
  if per_day is not null then
    room := least(room, per_day - state.used_today);
  end if;
  state.granted := greatest(0, least(wanted, room));
  state.used := state.used + state.granted;
  state.used_today := state.used_today + state.granted;
  state.at := clock;
  return state;
end
$$;

-- Counts the hits of many subjects at once and grants m of the n that each wants. The caller sorts the
-- subjects, so two servers lock rows in the same order and never wait in a circle. The clock is the
-- database's, read after the row is locked; tests pass their own.
create function take_hits(
  subjects text[], wanted integer[], per_minute integer[], per_day integer[], clock double precision default null
) returns setof limit_counter
language plpgsql
as $$
declare
  empty limit_counter := row('', 0, 0, 0, 0, 0, 0, 0);
begin
  -- A crash of PostgreSQL may forget the hits of its last half second, never more, and never corrupts: worth
  -- it, since otherwise every request would wait for a disk. The death of one of our servers forgets nothing.
  perform set_config('synchronous_commit', 'off', true);
  for i in 1 .. cardinality(subjects) loop
    empty.subject := subjects[i];
    return query
      insert into limit_counter as c
      select * from limit_step(
        empty, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp())))
      on conflict (subject) do update set (minute, used, used_before, day, used_today, granted, at) = (
        select s.minute, s.used, s.used_before, s.day, s.used_today, s.granted, s.at
        from limit_step(
          c, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp()))) s)
      returning c.*;
  end loop;
end
$$;

-- Every server hears of a new, a revoked or a changed key at once.
create function tell_access() returns trigger language plpgsql as $$
begin
  perform pg_notify('asfiled_access', '');
  return null;
end
$$;
create trigger api_key_told after insert or update or delete on api_key
  for each statement execute function tell_access();
create trigger key_grant_told after insert or update or delete on key_grant
  for each statement execute function tell_access();
