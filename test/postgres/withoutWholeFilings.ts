/** Removes everything that the migrations 0047 to 0049 add, for tests of older databases. */
export const withoutWholeFilings = `
  drop trigger filing_whole_deleted on filing;
  drop trigger filing_future on filing;
  drop trigger filing_co_filers_deleted on filing;
  drop table whole_filing, whole_filing_past, whole_filing_repeat, term, co_filer cascade;
  drop function drop_whole_filings, keep_whole_filing, drop_co_filers;
  drop function note_future_filings, whole_filing_at, whole_filing_touched, whole_filing_changes, whole_filing_matured;`
