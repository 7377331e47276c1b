-- Why: punctuation and spaces decided what a search found. "Wal-Mart" did not find WALMART INC, "JP Morgan" did not find JPMORGAN CHASE & CO,
-- and "LOreal" did not find L'Oréal. Now both sides of a comparison are also read without their marks and spaces.
-- Upgrade: rolling. Servers of the older version find fewer names until they are restarted. Imports wait while the two indexes of
-- names are rebuilt, and searches scan all names until then.

-- The text without spaces, punctuation and symbols. The marks are listed by code point, because which characters count as letters depends
-- on the locale of the database. NFKC has already replaced full-width forms. A text of marks alone is empty.
create or replace function search_squeezed(folded text) returns text
language sql immutable strict parallel safe
return regexp_replace(folded,
  U&'[\0001-\002F\003A-\0040\005B-\0060\007B-\00BF\00D7\00F7\02B9-\02DF\2000-\206F\2190-\2BFF\3000-\3004\3008-\3020\3030\303D\30FB\FE10-\FE6F]+',
  '', 'g');

-- The words of a text as its spaces separate them, each without its marks: L'Oréal is the word loreal.
create or replace function search_joined_words(folded text) returns text[]
language sql immutable strict parallel safe
return string_to_array(btrim(regexp_replace(regexp_replace(folded, '[^[:alnum:][:space:]]+', '', 'g'), '\s+', ' ', 'g')), ' ');

-- All words by which a name is found where names are matched word by word: as marks separate them, joined across marks, and the
-- whole name as one word. As one text each word is between spaces, so that `like '% word%'` means the beginning of one.
create or replace function search_name_words(folded text) returns text
language sql immutable strict parallel safe
return search_spaced(folded)
  || case when folded ~ '[^[:alnum:][:space:]]' then array_to_string(search_joined_words(folded), ' ') || ' ' else '' end
  || search_squeezed(folded) || ' ';

drop index entity_names;
drop index entity_other_names;

create or replace function name_terms(market text, name text, folded text) returns text[]
language sql immutable parallel safe
return name_terms_of(char_length(name), search_squeezed(folded),
                     case when search_by_word(market) then string_to_array(btrim(search_name_words(folded)), ' ') end,
                     name_size(char_length(name)));

-- How a query is read: without its marks, the terms of that, and its words as marks separate them and joined across marks.
-- `beginning` is the term of a market of words, `prefix` and `grams` are of the others. Servers of the older version use name_probe.
create or replace function name_query(folded text, out squeezed text, out beginning text, out prefix text, out grams text[], out words text[],
                           out joined text[])
language sql immutable parallel safe
return (
  select row(
    bare, 'b' || left(bare, cut), 'n' || left(bare, cut),
    (select array_agg(distinct 'g' || substr(bare, start, least(3, char_length(bare))))
     from generate_series(1, greatest(1, char_length(bare) - 2)) start),
    array_remove(search_words(folded), ''), array_remove(search_joined_words(folded), ''))
  from (select bare, (select max(size) from unnest(array[1, 2, 3, 4, 6, 9]) size where size <= char_length(bare)) as cut
        from search_squeezed(folded) bare) of_query);

create index entity_names on entity using gin (name_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
create index entity_other_names on entity_other_name using gin (name_terms(market, name, search_name))
with (gin_pending_list_limit = 256);
-- Which words are common, the reader learns from the statistics of these indexes.
analyze entity;
analyze entity_other_name;
