-- Why: an import that was interrupted goes on where it stopped, and a second one costs next to nothing. A file
-- is recorded in the transaction of the batch that holds the last of it. The key is made of the file's content
-- and of the table that maps tags to metrics: a file is read again when that table learns something.

create table import_file (
  content_key text primary key,
  name text not null,
  imported_at timestamptz not null default now()
);
