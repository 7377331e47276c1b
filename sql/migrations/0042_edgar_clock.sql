-- Why: EDGAR shows when it accepted a filing on two clocks. Its data sets show New York's, and its lists of submissions show New York's for
-- some filers and UTC for others, with a Z in both cases. All of them were read as UTC, so filings seemed to be known up to five hours
-- before they were. What the sources show is now kept, and the time of a filing follows from everything that they show of its filer.
-- Times that were read the old way cannot be told apart any more, so they are removed here, in a data version of its own, and the next
-- import or sync finds them again. Until then these filings count at the end of their day. Denmark's index states midnight where it
-- knows only the day.
-- Upgrade: rolling. Older servers go on to read filings. Stop imports by older servers, which would store times the old way.

create table clock_reading (
  accession text not null,
  -- The register's number of the filer in whose list it is shown. '': a data set, whose clock is known.
  lister text not null,
  -- The digits, without any zone.
  shown timestamp not null,
  -- What the list itself tells about its clock there: local, utc, open or doubtful.
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
  -- A database that has nothing but the sample gets its times when the next server starts.
  if only_sample then update sample_load set finished_at = null where finished_at is not null; end if;
end
$$;

-- The archive of earlier syncs is read again by the next one.
update sync_file set imported_at = null
where market = 'US' and path ~ '(^|/)submissions/CIK[^/]*\.json(\.[a-z]+)?$' and imported_at is not null;
