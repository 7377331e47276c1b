-- A request may count as many hits at once, such as the rows that it joins. It is then granted all of them or
-- none, and a refused one uses up nothing. Negative hits are given back.
-- Upgrade: rolling. Older servers call the functions without `whole`, which stay for them.

create function limit_step(
  state limit_counter, wanted integer, per_minute integer, per_day integer, clock double precision, whole boolean
) returns limit_counter
language plpgsql immutable
as $$
declare
  now_minute bigint := floor(clock / 60);
  elapsed double precision := clock - floor(clock / 60) * 60;
  now_day integer := floor(clock / 86400);
  room integer;
  given_back integer;
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
  state.at := clock;
  if wanted < 0 then
    -- They may have been counted a moment ago, in the minute before this one.
    given_back := least(-wanted, state.used);
    state.used := state.used - given_back;
    state.used_before := greatest(0, state.used_before + wanted + given_back);
    state.used_today := greatest(0, state.used_today + wanted);
    state.granted := wanted;
    return state;
  end if;
  room := floor(per_minute - state.used - state.used_before * (60 - elapsed) / 60 + 1e-9);
  if per_day is not null then
    room := least(room, per_day - state.used_today);
  end if;
  state.granted := case when whole and room < wanted then 0 else greatest(0, least(wanted, room)) end;
  state.used := state.used + state.granted;
  state.used_today := state.used_today + state.granted;
  return state;
end
$$;

-- Counts the hits of many subjects at once and grants m of the n that each wants; where `whole` is true, n or none.
-- A subject may be named several times. The caller sorts the subjects, so two servers lock rows in the same order and
-- never wait in a circle. The clock is the database's, read after the row is locked; tests pass their own.
create function take_hits(
  subjects text[], wanted integer[], per_minute integer[], per_day integer[], clock double precision, whole boolean[]
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
        empty, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp())), whole[i])
      on conflict (subject) do update set (minute, used, used_before, day, used_today, granted, at) = (
        select s.minute, s.used, s.used_before, s.day, s.used_today, s.granted, s.at
        from limit_step(
          c, wanted[i], per_minute[i], per_day[i], coalesce(clock, extract(epoch from clock_timestamp())), whole[i]) s)
      returning c.*;
  end loop;
end
$$;
