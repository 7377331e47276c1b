-- Why: people make and change keys themselves. Who signed in where, who holds which key and who did what must hold on every
-- server of the database. Of codes, sessions and keys only digests are stored: who reads this database can use none of them.
-- All of it is in a schema of its own; what every request with a key reads stays with the keys.

create schema account;

create table account.account (
  account_id integer generated always as identity primary key,
  -- Lower case: one mailbox is one account.
  email text not null unique check (email = lower(email)),
  -- Registrable: mail.fund.co.uk is fund.co.uk.
  domain text not null,
  created_at timestamptz not null default now()
);

-- One row for each code that was sent. `browser` is the SHA-256 of the token in the cookie of the browser that requested the
-- code, and `digest` is the HMAC of the code under that token: without the cookie a code can be neither used nor guessed.
create table account.sign_in_code (
  browser bytea primary key check (octet_length(browser) = 32),
  digest bytea not null check (octet_length(digest) = 32),
  email text not null,
  domain text not null,
  guesses integer not null default 0,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_code_expires on account.sign_in_code (expires_at);

create table account.session (
  session_id integer generated always as identity primary key,
  digest bytea not null unique check (octet_length(digest) = 32),
  account_id integer not null references account.account,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '30 days',
  address text not null,
  agent text not null,
  -- A new key until a page has shown it, encrypted with the token of the session, which is not stored.
  reveal bytea
);
create index session_account on account.session (account_id);
create index session_expires on account.session (expires_at);

-- A key that was rotated, or made again after a revocation, belongs to the key that holds the grant. They share grant, budget,
-- companies, panels and backtests. A rotated key works until `retires_at`.
alter table api_key
  add column root_key_id integer references api_key,
  add column retires_at timestamptz;
create index api_key_root on api_key (root_key_id) where root_key_id is not null;

-- The keys of an account. Keys of the command line have no row here.
create table account.held_key (
  key_id integer primary key references api_key,
  account_id integer not null references account.account,
  name text not null
);
create index held_key_account on account.held_key (account_id);

-- When a key was last used, and how often each route by a key and those that share its budget. Servers write both in blocks.
create table account.key_use (
  key_id integer primary key,
  used_at timestamptz not null
);
create table account.route_use (
  root_key_id integer not null,
  day date not null,
  route text not null,
  requests bigint not null,
  primary key (root_key_id, day, route)
);
create index route_use_day on account.route_use (day);

-- Mail of a server on loopback without MAIL_URL, for `asfiled mail`. The only place where a code is readable, and for as long as
-- it can be used.
create table account.local_mail (
  mail_id integer generated always as identity primary key,
  recipient text not null,
  subject text not null,
  body text not null,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create table account.audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- An e-mail address, or `operator` for who has a shell.
  actor text not null,
  account_id integer references account.account,
  act text not null,
  -- The prefix of a key, or what else the act changed.
  about text not null,
  detail text not null,
  address text not null
);
create index audit_account on account.audit (account_id, audit_id desc);

create function account.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only: % is refused.', lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_append_only before update or delete or truncate on account.audit
  for each statement execute function account.refuse_change();

-- A transaction names its actor with set_config('asfiled.actor', ..., true). Others are those of an operator.
create function account.write_audit(act text, of_account integer, about text, detail text) returns void
language sql
as $$
  insert into account.audit (actor, account_id, act, about, detail, address)
  values (
    coalesce(nullif(current_setting('asfiled.actor', true), ''), 'operator'),
    coalesce(of_account, nullif(current_setting('asfiled.account', true), '')::integer),
    act, about, detail, coalesce(current_setting('asfiled.address', true), ''))
$$;

create function account.holder_of(of_key integer) returns integer
language sql stable
as $$ select account_id from account.held_key where key_id = of_key $$;

-- Triggers, so that no page and no command can forget it. Who owns the tables can still write around them: statements of an operator
-- other than new and changed grants, revocations and rotations are not recorded.
create function account.audit_grant() returns trigger language plpgsql as $$
declare
  of_prefix text;
  is_first boolean;
begin
  select prefix into of_prefix from api_key where key_id = new.key_id;
  select count(*) = 1 into is_first from key_grant where key_id = new.key_id;
  perform account.write_audit(
    case when tg_op = 'UPDATE' then 'grant_changed' when is_first then 'key_made' else 'key_granted' end,
    account.holder_of(new.key_id), of_prefix,
    concat_ws(', ',
      new.licence || case when new.quant then ' + quant' else '' end,
      new.per_minute || ' a minute',
      case when new.per_day is null then 'no daily limit' else new.per_day || ' a day' end,
      case when new.entity_cap is not null then new.entity_cap || ' companies' end,
      case when new.bulk then 'bulk' end,
      case when new.expires_at is not null
        then 'until ' || (new.expires_at at time zone 'UTC' - interval '1 microsecond')::date end));
  return null;
end
$$;
create trigger key_grant_audited after insert or update on key_grant
  for each row execute function account.audit_grant();

create function account.audit_key() returns trigger language plpgsql as $$
begin
  if old.revoked_at is null and new.revoked_at is not null then
    perform account.write_audit('key_revoked', account.holder_of(new.key_id), new.prefix, '');
  end if;
  if old.retires_at is null and new.retires_at is not null then
    perform account.write_audit('key_rotated', account.holder_of(new.key_id), new.prefix,
      'works until ' || to_char(new.retires_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC');
  end if;
  return null;
end
$$;
create trigger api_key_audited after update on api_key
  for each row execute function account.audit_key();
