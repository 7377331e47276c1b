-- Why: strangers could close sign-in. Each code that they requested, and each request that was refused, counted
-- against the mailbox and its domain, so 84 networks closed it for all of Gmail, and one stranger kept the owner of
-- a mailbox out for a day. A browser that signed in before now has budgets of its own, and a request counts against
-- all of its budgets or, if one refuses it, against none.
-- Upgrade: rolling. Older servers do not read the new table, and sessions that they make name no browser.

-- A browser that signed in with a mailbox. `digest` is the SHA-256 of the token in its cookie, which signs nobody
-- in: it only opens budgets of codes and guesses that nobody else can use up. Several accounts may sign in from one
-- browser.
create table account.known_browser (
  browser_id integer generated always as identity primary key,
  account_id integer not null references account.account,
  digest bytea not null check (octet_length(digest) = 32),
  signed_in_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '180 days',
  address text not null,
  agent text not null,
  unique (digest, account_id)
);
create index known_browser_account on account.known_browser (account_id);
create index known_browser_expires on account.known_browser (expires_at);

-- Ending a session from the list of sessions also forgets its browser. null: made by a server of an earlier
-- version, or forgotten.
alter table account.session
  add column browser_id integer references account.known_browser on delete set null;
create index session_browser on account.session (browser_id) where browser_id is not null;
-- Whether somebody of a domain is signed in from a network.
create index session_address on account.session (address);

-- Counts one hit of each subject, or none at all if one of them has reached its limits. `granted` says which of
-- them would have granted it. The caller sorts the subjects, as for take_hits. The rows stay locked until the end,
-- so no hit comes between looking and counting.
create function take_hits_together(
  subjects text[], per_minute integer[], per_day integer[], clock double precision default null
) returns setof limit_counter
language plpgsql
as $$
declare
  counter limit_counter;
  seen limit_counter[];
  read_at double precision;
  is_granted boolean := true;
begin
  -- As for take_hits: a crash of PostgreSQL may forget the hits of its last half second.
  perform set_config('synchronous_commit', 'off', true);
  for i in 1 .. cardinality(subjects) loop
    counter := row(subjects[i], 0, 0, 0, 0, 0, 0, 0);
    insert into limit_counter as c select counter.*
    on conflict (subject) do update set granted = 0
    returning c.* into counter;
    seen[i] := counter;
  end loop;
  read_at := coalesce(clock, extract(epoch from clock_timestamp()));
  for i in 1 .. cardinality(subjects) loop
    seen[i] := limit_step(seen[i], 1, per_minute[i], per_day[i], read_at);
    is_granted := is_granted and seen[i].granted = 1;
  end loop;
  for i in 1 .. cardinality(subjects) loop
    counter := seen[i];
    if is_granted then
      update limit_counter
      set (minute, used, used_before, day, used_today, granted, at) =
          (counter.minute, counter.used, counter.used_before, counter.day, counter.used_today,
           counter.granted, counter.at)
      where subject = counter.subject;
    end if;
    return next counter;
  end loop;
end
$$;

-- Gives one hit back to each subject: what it was taken for did not happen. A minute or day that has passed is left
-- as it is.
create function give_hits_back(subjects text[], taken_at double precision) returns void
language plpgsql
as $$
declare
  of_minute bigint := floor(taken_at / 60);
begin
  perform set_config('synchronous_commit', 'off', true);
  for i in 1 .. cardinality(subjects) loop
    update limit_counter
    set used = greatest(0, used - case when minute = of_minute then 1 else 0 end),
        used_before = greatest(0, used_before - case when minute = of_minute + 1 then 1 else 0 end),
        used_today = greatest(0, used_today - case when day = floor(taken_at / 86400) then 1 else 0 end)
    where subject = subjects[i];
  end loop;
end
$$;
