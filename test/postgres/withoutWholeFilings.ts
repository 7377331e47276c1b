/** Removes everything that the migrations 0047 and 0048 add, for tests of older databases. */
export const withoutWholeFilings = `
  drop trigger filing_whole_deleted on filing;
  drop trigger filing_future on filing;
  drop table whole_filing, whole_filing_past, whole_filing_repeat, term cascade;
  drop function drop_whole_filings, keep_whole_filing;
  drop function note_future_filings, whole_filing_at, whole_filing_touched, whole_filing_changes, whole_filing_matured;`
