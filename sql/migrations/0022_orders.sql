-- Why: an evaluation is given under an order form that a person signs on a page. What was signed, by whom and when must stay
-- provable, so orders form a chain that can be checked and not be changed. Its mail must go out whatever dies in between.

-- The orders, each with the SHA-256 of the one before it. `digest` covers all other columns; src/features/orders/chain.ts says how.
create table account.signed_order (
  order_id integer primary key check (order_id > 0),
  form text not null,
  version text not null,
  account_id integer not null references account.account,
  email text not null,
  -- Registrable: mail.fund.co.uk is fund.co.uk.
  domain text not null,
  -- The bytes that the page showed.
  document bytea not null,
  document_sha256 bytea not null check (octet_length(document_sha256) = 32),
  consent text not null,
  signer_name text not null,
  signer_title text not null,
  company text not null,
  signed_at timestamptz not null,
  address text not null,
  agent text not null,
  -- The proof of the address: the sign-in of this session, by the code that was sent to it.
  session_id integer not null,
  proved_at timestamptz not null,
  proved_address text not null,
  proved_agent text not null,
  key_prefix text not null,
  grant_id integer not null references key_grant,
  -- The last day (UTC) of the licence as it was granted.
  last_day date not null,
  previous bytea not null check (octet_length(previous) = 32),
  digest bytea not null unique check (octet_length(digest) = 32)
);
create index signed_order_account on account.signed_order (account_id);

-- The end of the chain. Its row is locked by each signature, so orders follow one another on all servers; and a chain whose last
-- orders were removed does not end here.
create table account.order_chain (
  one boolean primary key default true check (one),
  order_id integer not null,
  digest bytea not null check (octet_length(digest) = 32)
);
insert into account.order_chain (order_id, digest) values (0, decode(repeat('00', 32), 'hex'));

create function account.refuse_order_change() returns trigger language plpgsql as $$
begin
  raise exception 'Signed orders are never changed or removed: % is refused.', lower(tg_op)
    using errcode = 'insufficient_privilege';
end
$$;
create trigger signed_order_append_only before update or delete or truncate on account.signed_order
  for each statement execute function account.refuse_order_change();
create trigger order_chain_stays before insert or delete or truncate on account.order_chain
  for each statement execute function account.refuse_order_change();

create function account.refuse_step_back() returns trigger language plpgsql as $$
begin
  if new.order_id <> old.order_id + 1 then
    raise exception 'The chain of signed orders grows by one order at a time.' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$$;
create trigger order_chain_grows before update on account.order_chain
  for each row execute function account.refuse_step_back();

-- Mail that is written in the transaction of what it is about, and sent by whichever server claims it. Codes are never in it.
create table account.mail_outbox (
  mail_id bigint generated always as identity primary key,
  -- Becomes the Message-ID of every attempt: a mail that arrives twice is one mail.
  message_id uuid not null default gen_random_uuid(),
  recipient text not null,
  subject text not null,
  body text not null,
  attachment_name text,
  attachment bytea,
  queued_at timestamptz not null default now(),
  -- Until then it is of use.
  expires_at timestamptz not null,
  attempts integer not null default 0,
  -- While a server sends it this is in the future: another one takes it only after a death.
  next_attempt_at timestamptz not null default now(),
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'expired')),
  ended_at timestamptz,
  check ((attachment is null) = (attachment_name is null))
);
create index mail_outbox_waiting on account.mail_outbox (next_attempt_at) where state = 'waiting';
create index mail_outbox_ended on account.mail_outbox (ended_at) where state <> 'waiting';

-- Which holders were reminded of the end of a grant. The key makes it once, on however many servers; a grant that was extended has
-- another last day.
create table account.grant_reminder (
  grant_id integer not null references key_grant,
  last_day date not null,
  days_before integer not null,
  queued_at timestamptz not null default now(),
  primary key (grant_id, last_day, days_before)
);
create index key_grant_evaluation_end on key_grant (expires_at) where licence = 'evaluation';
