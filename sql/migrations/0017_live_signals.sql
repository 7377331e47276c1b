-- Why: `live` was given to every forecast that came without an outcome, and to whatever a file said. It means that the
-- forecast was recorded before its date had ended in its market; rows recorded later are `backfill`. Markets without a
-- manifest are judged by UTC+14, where a day ends first: a claim that cannot be shown is withdrawn.
update signal
set source = 'backfill'
where source = 'live'
  and recorded_at >= (date + 1)::timestamp at time zone
    case market
      when 'US' then 'America/New_York'
      when 'JP' then 'Asia/Tokyo'
      when 'KR' then 'Asia/Seoul'
      when 'TW' then 'Asia/Taipei'
      when 'HK' then 'Asia/Hong_Kong'
      when 'FR' then 'Europe/Paris'
      when 'BE' then 'Europe/Brussels'
      when 'DK' then 'Europe/Copenhagen'
      when 'NZ' then 'Pacific/Auckland'
      else 'Pacific/Kiritimati'
    end;
