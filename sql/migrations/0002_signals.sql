-- Why: a forecast has to be on record before its outcome, and neither may change unseen afterwards. A row of
-- `signal` is one forecast; it is open until `actual` arrives and is only served from then on. What a
-- correction replaces is kept in `signal_correction`, which nothing updates or deletes.

-- Returns are fractions. A forecast is judged here and nowhere else: `flat` when either side is exactly 0.
-- The pattern of a ticker keeps it harmless in a spreadsheet (no leading = + - @) and free of anything that
-- JSON or CSV would have to escape: the database writes both formats itself.
create table signal (
  date date not null check (isfinite(date)),
  horizon smallint not null check (horizon in (1, 3, 7)),
  ticker text collate "C" not null check (ticker ~ '^[A-Z0-9^][A-Z0-9.^=_:/&-]{0,31}$'),
  market text collate "C" not null check (market ~ '^[A-Z]{2}$'),
  predicted double precision not null check (abs(predicted) < 'infinity'),
  actual double precision check (abs(actual) < 'infinity'),
  status text generated always as (
    case
      when actual is null then null
      when predicted = 0 or actual = 0 then 'flat'
      when (predicted > 0) = (actual > 0) then 'won'
      else 'lost'
    end
  ) stored,
  source text not null check (source in ('live', 'backfill')),
  recorded_at timestamptz not null default now(),
  resolved_at timestamptz,
  check ((actual is null) = (resolved_at is null)),
  -- In this order the key also serves the archive: one horizon by date, then ticker.
  primary key (horizon, date, ticker, market)
);

-- The order in which rows are served, of all markets and of one. Open forecasts are in neither.
create index signal_served on signal (date desc, ticker, horizon, market) where actual is not null;
create index signal_served_market on signal (market, date desc, ticker, horizon) where actual is not null;

-- Both versions of every row whose forecast or outcome was corrected: after its outcome was known, or in the
-- same line that brought the outcome.
create table signal_correction (
  correction_id bigint generated always as identity primary key,
  date date not null,
  horizon smallint not null,
  ticker text collate "C" not null,
  market text collate "C" not null,
  old_predicted double precision not null,
  new_predicted double precision not null,
  old_actual double precision,
  new_actual double precision not null,
  old_source text not null,
  new_source text not null,
  old_recorded_at timestamptz not null,
  old_resolved_at timestamptz,
  corrected_at timestamptz not null default now()
);
create index signal_correction_signal on signal_correction (horizon, date, ticker, market);
