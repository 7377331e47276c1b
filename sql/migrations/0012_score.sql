-- Why: a backtest may rank companies by a figure of their own. On each date it needs what was known the day before, of
-- every company and thousands of dates: asking fact_as_of for each of them would take minutes. What a company's latest
-- figure is changes on few days, though, and between two of them it stays. So the question is asked once for each of
-- these days, and still of fact_as_of alone.

-- The days on which what fact_as_of tells of a company's full years of a metric may change: a vintage is filed, or one
-- ends (a ratio that lost its meaning ends without another). It says when to ask, never what is known.
create function fact_change_days(of_entity integer, of_metric smallint)
returns table (day date)
language sql stable parallel safe
as $$
  select f.filed from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0
  union
  select f.superseded from fact f
  where f.entity_id = of_entity and f.metric_id = of_metric and f.fp = 0 and f.superseded < 'infinity'
$$;
