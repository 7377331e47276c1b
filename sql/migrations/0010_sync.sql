-- Why: fetching from a register takes hours, is broken off, and must go on where it was without asking twice for what is
-- had. What is remembered is which answer came under which key, where it lies in the archive and whether it was imported;
-- the answers themselves are files. No address with a credential, and no credential, is ever in here.

create table sync_cursor (
  market text not null,
  name text not null,
  position text not null,
  primary key (market, name)
);

create table sync_document (
  market text not null,
  key text not null,
  -- What the register had under the key when it was asked last; null: only the register knows.
  revision text,
  -- The register said that there is none.
  missing boolean not null,
  etag text,
  last_modified text,
  -- xxHash3 and length of the content: an answer that says the same again is not kept twice.
  digest text,
  -- The file that holds the content; null where there is none, or it is not kept.
  path text,
  -- The last day on which the register said so.
  confirmed_on date not null,
  primary key (market, key)
);

-- Every answer that was ever kept, below DATA_DIR/registers.
create table sync_file (
  path text primary key,
  market text not null,
  pulled_on date not null,
  bytes bigint not null,
  -- Files of one subject make sense together only; null: the file makes sense alone.
  subject text,
  -- null: waits for the importer.
  imported_at timestamptz
);
create index sync_file_waiting on sync_file (market, pulled_on, path) where imported_at is null;
create index sync_file_subject on sync_file (market, subject) where subject is not null;
