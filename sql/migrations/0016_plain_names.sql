-- Why: four of five names of a register are plain ASCII, on which NFKC, case folding and the search for combining marks do
-- nothing but lower the letters. Folding names was a tenth of the work of loading entities. The answers are the same for
-- every text, so no index and no stored name changes.

create or replace function search_text(text) returns text
language sql immutable strict parallel safe
return case
  when octet_length($1) = char_length($1) then btrim(regexp_replace(lower($1), '\s+', ' ', 'g'))
  else btrim(regexp_replace(
    replace(replace(replace(replace(
      translate(
        normalize(regexp_replace(normalize(lower(normalize($1, NFKC)), NFKD),
          U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF\20D0-\20FF\FE20-\FE2F]', '', 'g'), NFC),
        'øłđħŧıĸðςŋɨʉɓɗƒǥȼ', 'oldhtikdσniubdfgc'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    '\s+', ' ', 'g')) end;
