/** Removes everything that migration 0047 adds, for tests of older databases. */
export const withoutWholeFilings = `
  drop trigger filing_whole_deleted on filing;
  drop table whole_filing, whole_filing_past, term cascade;
  drop function drop_whole_filings, keep_whole_filing;`
