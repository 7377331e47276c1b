-- Why: people request licences, and operators grant them on pages and by commands. What was sold must hold whichever way a grant
-- is written, so the rule that a paid, running grant is never lowered is a trigger and not a check in front of one of the doors.

-- A grant may begin later than it is written. Authentication reads started grants alone.
alter table key_grant add column starts_at timestamptz not null default now();
-- They ran from when they were granted. No act of anybody: the audit log gets no entry.
alter table key_grant disable trigger key_grant_audited;
-- A clock that was set back may have granted them in what is now the future.
update key_grant set starts_at = least(granted_at, now());
alter table key_grant enable trigger key_grant_audited;

-- The grant of a key that counts: of those that have started one that still runs, and of those the latest. Where none has started it is
-- one that opens nothing yet, so who lets in checks `starts_at`. Every reader of a key's rights goes through it: a second rule could
-- show on a page what the key is refused.
create function grant_that_counts(of_key integer) returns setof key_grant
language sql stable
as $$
  select * from key_grant where key_id = of_key
  order by (starts_at <= now()) desc, (expires_at is null or expires_at > now()) desc, grant_id desc limit 1
$$;

-- A key that was granted and has no text yet: its holder makes the text, so no operator ever sees it.
alter table account.held_key add column is_waiting boolean not null default false;

create table account.licence_request (
  request_id integer generated always as identity primary key,
  account_id integer not null references account.account,
  -- null: the quant plan on the licence that the key has.
  licence text check (licence in ('personal', 'commercial', 'redistribution', 'oem')),
  quant boolean not null,
  -- The key that the licence is to be added to; null: a new one.
  key_id integer references api_key,
  company text not null check (char_length(company) between 1 and 200),
  purpose text not null check (char_length(purpose) between 1 and 1000),
  first_day date not null,
  -- null: no end.
  last_day date check (last_day >= first_day),
  sent_at timestamptz not null default now(),
  state text not null default 'open' check (state in ('open', 'withdrawn', 'refused', 'granted')),
  decided_at timestamptz check ((decided_at is null) = (state = 'open')),
  decided_by text not null default '',
  reason text not null default '' check (char_length(reason) <= 1000),
  grant_id integer references key_grant check ((grant_id is not null) = (state = 'granted')),
  check (licence is not null or quant)
);
create unique index licence_request_open on account.licence_request (account_id, coalesce(licence, 'quant')) where state = 'open';
create index licence_request_account on account.licence_request (account_id, request_id desc);

-- Licences in the order of what they open.
create function licence_rank(licence text) returns integer
language sql immutable
as $$
  select case licence when 'free' then 0 when 'evaluation' then 1 when 'personal' then 2 when 'commercial' then 3 else 4 end
$$;

create function is_paid(g key_grant) returns boolean
language sql immutable
as $$ select g.quant or licence_rank(g.licence) >= 2 $$;

-- What of grant `sold` grant `later` has less of, in words; null: nothing.
create function grant_lowered(sold key_grant, later key_grant) returns text
language sql immutable
as $$
  select nullif(concat_ws(', ',
    case when licence_rank(later.licence) < licence_rank(sold.licence)
      then 'the licence from ' || sold.licence || ' to ' || later.licence end,
    case when sold.quant and not later.quant then 'the quant plan' end,
    case when later.per_minute < sold.per_minute
      then 'requests a minute from ' || sold.per_minute || ' to ' || later.per_minute end,
    case when coalesce(later.per_day, 'infinity'::float8) < coalesce(sold.per_day, 'infinity'::float8)
      then 'requests a day from ' || coalesce(sold.per_day::text, 'no limit') || ' to ' || later.per_day end,
    case when coalesce(later.entity_cap, 'infinity'::float8) < coalesce(sold.entity_cap, 'infinity'::float8)
      then 'companies from ' || coalesce(sold.entity_cap::text, 'all') || ' to ' || later.entity_cap end,
    case when sold.bulk and not later.bulk then 'bulk files' end), '')
$$;

-- Authentication uses the latest running grant of a key. So a later grant that runs at the same time must not be less than a paid
-- earlier one, neither when it is written nor when either of them is changed.
create function protect_paid_grant() returns trigger language plpgsql as $$
declare
  lowered text;
  other key_grant;
begin
  -- Grants of one key are written one after the other, on all servers.
  if tg_op <> 'INSERT' then
    perform 1 from api_key where key_id = old.key_id for no key update;
    if is_paid(old) and old.starts_at <= now() and coalesce(old.expires_at, 'infinity') > now() then
      if tg_op = 'DELETE' then
        lowered := 'the whole grant';
      else
        lowered := nullif(concat_ws(', ', grant_lowered(old, new),
          case when new.key_id <> old.key_id then 'the key' end,
          case when new.starts_at > old.starts_at and new.starts_at > now() then 'its first day' end,
          case when coalesce(new.expires_at, 'infinity') < coalesce(old.expires_at, 'infinity') then 'its last day' end), '');
      end if;
    end if;
  end if;
  if tg_op = 'DELETE' then
    if lowered is null then return old; end if;
  else
    perform 1 from api_key where key_id = new.key_id for no key update;
    for other in
      select * from key_grant o
      where o.key_id = new.key_id and o.grant_id <> new.grant_id
        and coalesce(o.expires_at, 'infinity') > now() and coalesce(new.expires_at, 'infinity') > now()
        and o.starts_at < coalesce(new.expires_at, 'infinity') and new.starts_at < coalesce(o.expires_at, 'infinity')
    loop
      if other.grant_id < new.grant_id and is_paid(other) then
        lowered := coalesce(lowered, grant_lowered(other, new));
      elsif other.grant_id > new.grant_id and is_paid(new) then
        lowered := coalesce(lowered, grant_lowered(new, other));
      end if;
    end loop;
    if lowered is null then return new; end if;
  end if;
  raise exception 'A paid grant that runs is never lowered. This would lower %.', lowered
    using errcode = 'AF001', detail = lowered;
end
$$;
create trigger key_grant_paid before insert or update or delete on key_grant
  for each row execute function protect_paid_grant();

create function protect_paid_grants() returns trigger language plpgsql as $$
begin
  if exists (select from key_grant g where is_paid(g) and coalesce(g.expires_at, 'infinity') > now()) then
    raise exception 'A paid grant that runs is never lowered. This would lower all of them.'
      using errcode = 'AF001', detail = 'all grants';
  end if;
  return null;
end
$$;
create trigger key_grant_paid_all before truncate on key_grant
  for each statement execute function protect_paid_grants();

-- A key that changed its root would have other grants.
create function refuse_other_root() returns trigger language plpgsql as $$
begin
  raise exception 'The root of a key never changes: its grants are those of its root.' using errcode = 'AF001', detail = 'the key';
end
$$;
create trigger api_key_root_stays before update of root_key_id on api_key
  for each row when (old.root_key_id is distinct from new.root_key_id) execute function refuse_other_root();

-- The first grant of a key is recorded as the key's making, unless the key waits for its holder to make it.
create or replace function account.audit_grant() returns trigger language plpgsql as $$
declare
  of_prefix text;
  is_first boolean;
begin
  select prefix into of_prefix from api_key where key_id = new.key_id;
  select count(*) = 1 and not exists (select from account.held_key where key_id = new.key_id and is_waiting)
    into is_first from key_grant where key_id = new.key_id;
  perform account.write_audit(
    case when tg_op = 'UPDATE' then 'grant_changed' when is_first then 'key_made' else 'key_granted' end,
    account.holder_of(new.key_id), of_prefix,
    concat_ws(', ',
      new.licence || case when new.quant then ' + quant' else '' end,
      new.per_minute || ' a minute',
      case when new.per_day is null then 'no daily limit' else new.per_day || ' a day' end,
      case when new.entity_cap is not null then new.entity_cap || ' companies' end,
      case when new.bulk then 'bulk' end,
      case when new.starts_at > now() then 'from ' || (new.starts_at at time zone 'UTC')::date end,
      case when new.expires_at is not null
        then 'until ' || (new.expires_at at time zone 'UTC' - interval '1 microsecond')::date end));
  return null;
end
$$;
