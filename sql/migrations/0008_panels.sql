-- Why: who tries many configurations on rows of their own sends the rows once. A stored panel has to be found by every
-- server on the database, belong to the key that sent it, and be forgotten when it is no longer used.

create table panel (
  panel_id uuid primary key default gen_random_uuid(),
  key_id integer not null references api_key,
  -- SHA-256 of the packed rows, which are the same in whatever form and order they came: sent again, a panel is found.
  content bytea not null check (octet_length(content) = 32),
  row_count integer not null check (row_count > 0),
  date_count integer not null check (date_count > 0),
  asset_count integer not null check (asset_count > 0),
  -- Of the packed rows, which is also what a server needs to read them back.
  packed_bytes bigint not null check (packed_bytes > 0),
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  unique (key_id, content)
);
create index panel_used on panel (used_at);

-- The packed rows in pieces, each compressed.
create table panel_part (
  panel_id uuid not null references panel on delete cascade,
  part integer not null,
  bytes bytea not null,
  primary key (panel_id, part)
);
alter table panel_part alter column bytes set storage external;
