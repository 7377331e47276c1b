-- Why: readers find trailing twelve months by the number of their metric. Where no company had a figure of the metric itself, it had
-- none, and the tables of a market left the trailing figures out. Imports now number both.

insert into metric (name)
select left(name, -4) from metric where is_trailing order by name
on conflict (name) do nothing;
