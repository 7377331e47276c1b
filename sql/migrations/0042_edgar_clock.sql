-- Why: EDGAR shows its acceptance times on two clocks. Its data sets use New York time. Its lists of submissions use New York time
-- for some filers and UTC for others, and write a Z in both cases. asfiled read all of them as UTC, so filings seemed to be known up to
-- five hours early. From now on it stores what each source shows, and decides a filing's time from everything that is shown of its filer.
-- Times that were read the old way cannot be told apart, so this migration removes them, in a data version of its own. The next import
-- or sync finds them again; until then these filings count from the end of their day. The same goes for Denmark, whose index states
-- midnight where it knows only the day.
-- Upgrade: rolling. Older servers can go on reading. Stop their imports, because they would store times the old way.

create table clock_reading (
  accession text not null,
  -- The register's number of the filer whose list shows it; '' for a data set, whose clock is known.
  lister text not null,
  -- The digits, without any zone.
  shown timestamp not null,
  -- What the list reveals about the clock at this row: local, utc, open or doubtful.
  clock text not null,
  primary key (accession, lister, shown, clock)
);
create index clock_reading_lister on clock_reading (lister);

do $$
declare
  only_sample boolean := not exists (select from import_batch where source <> 'sample' and source not like 'signals %');
begin
  update filing set accepted_at = null
  where accepted_at is not null
    and (filing_market(accession) = 'US'
      or filing_market(accession) = 'DK' and (accepted_at at time zone 'Europe/Copenhagen')::time = '00:00');
  if not found then return; end if;
  update data_version set version = version + 1, changed_at = now();
  insert into import_batch (version, source, entities, facts_added)
  select version, case when only_sample then 'sample' else 'us' end, 0, 0 from data_version;
  -- A database with nothing but the sample gets its times back when the next server starts.
  if only_sample then update sample_load set finished_at = null where finished_at is not null; end if;
end
$$;

-- The archive of earlier syncs is read again by the next one.
update sync_file set imported_at = null
where market = 'US' and path ~ '(^|/)submissions/CIK[^/]*\.json(\.[a-z]+)?$' and imported_at is not null;
