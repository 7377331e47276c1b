/** Removes everything that the migrations 0047 to 0058 add, for tests of older databases. */
export const withoutWholeFilings = `
  drop table price_symbol, price_day, price_block, price_asset, price_import, price_set_reader, price_set;
  drop table shared_report;
  drop table announcement, announcement_past cascade;
  drop function keep_announcement;
  alter table fact drop column check_state cascade;
  alter table fact_past drop column check_state cascade;
  alter table fact_repeat drop column check_state;
  alter table fact_interim drop column check_state cascade;
  alter table fact_interim_past drop column check_state cascade;
  drop trigger filing_whole_deleted on filing;
  drop trigger filing_future on filing;
  drop trigger filing_co_filers_deleted on filing;
  drop table whole_filing, whole_filing_past, whole_filing_repeat, term, co_filer cascade;
  drop function drop_whole_filings, keep_whole_filing, drop_co_filers;
  drop function note_future_filings, whole_filing_at, whole_filing_touched, whole_filing_changes, whole_filing_matured;`
