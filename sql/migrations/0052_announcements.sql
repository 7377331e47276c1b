-- Why: most results are public before the report with the figures is filed, because the company announced them: in the United States on a
-- Form 8-K with item 2.02. A value that a user had before the report was filed may come from there. This table stores which filings
-- announced results, keyed by the register's number like `register_entry` (0046), so that the order of imports does not matter. Most of
-- these filings have no figures and no row in `filing`.
-- The next import or sync reads the lists of submissions again and fills the table.

-- If several lists state one filing, `filed` is the latest day, as in `register_entry`. `accepted_at` follows from all `clock_reading` rows
-- on record, like that of a filing; null if they do not determine the instant. The announcement then counts from the end of its day.
create table announcement (
  market text not null,
  issuer_id text not null,
  accession text not null,
  form text not null,
  filed date not null,
  accepted_at timestamptz,
  primary key (market, issuer_id, accession)
);
create index announcement_accession on announcement (accession);

call keep_past_rows('announcement');
create index announcement_past_issuer on announcement_past (market, issuer_id);

-- The archive of earlier syncs is read again by the next one.
update sync_file set imported_at = null
where market = 'US' and path ~ '(^|/)submissions/CIK[^/]*\.json(\.[a-z]+)?$' and imported_at is not null;
