-- Why: mapped metrics show 13% to 45% of a filing's figures, and nothing of how the company presented them. A row for every figure would take 155
-- bytes, so a filing is one row with two compressed blocks: its figures and its statements (src/wholeFilings). The mapped figures in
-- `fact` still answer questions across companies.
-- Upgrade: rolling. Older servers read and write mapped figures only. The next import by a newer server reads their files again.

-- Texts that many filings share: concepts of standard taxonomies, members, labels. Blocks refer to them by number, so a row is never changed
-- or removed, and numbers have no gaps.
create table term (
  term_id integer primary key,
  text text not null
);
create unique index term_text on term (md5(text));

create table whole_filing (
  filing_id integer not null,
  entity_id integer not null,
  -- For a register that edits what it published: the day on which this content was first seen. A filing's first row counts from the
  -- filing itself, and each later one from the end of its day. '-infinity' for all other registers.
  seen_on date not null default '-infinity',
  -- The end of the period that the filing reports on; null if it does not say.
  period_end date,
  -- What the row was read from, in ascending completeness: 1 a list of figures, 2 a data set, 3 the filing's own documents. A more
  -- complete source replaces a less complete one.
  source smallint not null check (source between 1 and 3),
  -- The frames (src/wholeFilings/frames.ts) in which it states figures of the whole company, ascending: who asks for one period of all
  -- companies need not read the blocks of the other filings.
  frames smallint[] not null,
  figures integer not null,
  lines integer not null,
  figure_block bytea not null,
  statement_block bytea not null,
  primary key (filing_id, seen_on)
);
-- The blocks are compressed already.
alter table whole_filing alter column figure_block set storage external;
alter table whole_filing alter column statement_block set storage external;
create index whole_filing_entity on whole_filing (entity_id) include (filing_id, seen_on, frames);

call keep_past_rows('whole_filing');
create index whole_filing_past_filing on whole_filing_past (filing_id);
create index whole_filing_past_entity on whole_filing_past (entity_id);

-- Further days on which a register that edits was seen to state what it stated before. If an edit is imported later that was seen between
-- two of them, the register took it back on the second. No reader needs them.
create table whole_filing_repeat (
  filing_id integer not null,
  seen_on date not null,
  primary key (filing_id, seen_on)
);

-- A filing's row dates its blocks, so they are removed with it.
create function drop_whole_filings() returns trigger
language plpgsql
as $$
begin
  delete from whole_filing where filing_id in (select filing_id from gone);
  delete from whole_filing_repeat where filing_id in (select filing_id from gone);
  return null;
end
$$;
create trigger filing_whole_deleted after delete on filing
  referencing old table as gone for each statement execute function drop_whole_filings();
