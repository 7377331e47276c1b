"""Writes the session calendars of the exchanges from the Python package exchange_calendars (Apache 2.0):

    pip install exchange_calendars==4.13.2
    python manifests/sessions/make.py

An exchange's file states the range of its days. A day outside of it has no answer.
"""

import json
from pathlib import Path

import exchange_calendars

LAST = "2027-12-31"
# The package has no half days of Tokyo, which ended each year and began the next with one until 2009.
FIRST = {"XTKS": "2010-01-01"}
USUAL_FIRST = "2005-01-01"

EXCHANGES = {
    "XBRU": "Euronext Brussels",
    "XCSE": "Nasdaq Copenhagen",
    "XKRX": "Korea Exchange",
    "XNYS": "New York Stock Exchange",
    "XNZE": "New Zealand's Exchange",
    "XPAR": "Euronext Paris",
    "XTAI": "Taiwan Stock Exchange",
    "XTKS": "Tokyo Stock Exchange",
}


def calendar_of(code: str, first: str):
    """The package knows some exchanges only up to an earlier day, and says up to which."""
    bound = exchange_calendars.calendar_utils.global_calendar_dispatcher._calendar_factories[code].bound_max()
    last = LAST if bound is None else min(LAST, str(bound.date()))
    return exchange_calendars.get_calendar(code, start=first, end=last, side="left"), last


def write(code: str, name: str) -> None:
    first = FIRST.get(code, USUAL_FIRST)
    calendar, last = calendar_of(code, first)
    zone = str(calendar.tz)
    sessions = {}
    for day, row in calendar.schedule.iterrows():
        opens, closes = (row[column].tz_convert(zone) for column in ("open", "close"))
        assert opens.date() == closes.date() == day.date(), (code, day)
        sessions[str(day.date())] = (opens.strftime("%H:%M"), closes.strftime("%H:%M"))
    usual = usual_hours(sessions, first)
    closed, weekend, special = [], [], []
    for stamp in exchange_calendars.calendar_helpers.pd.date_range(first, last):
        day = str(stamp.date())
        hours = sessions.get(day)
        if hours is None:
            if stamp.weekday() < 5:
                closed.append(day)
            continue
        if stamp.weekday() > 4:
            weekend.append(day)
        ordinary = [part for part in usual if part[0] <= day][-1]
        if hours != ordinary[1:]:
            special.append([day, *hours])
    document = {
        "exchange": code,
        "name": name,
        "timezone": zone,
        "source": f"exchange_calendars {exchange_calendars.__version__} (https://github.com/gerrymanoim/exchange_calendars), "
        "which cites the exchanges' published holidays and hours",
        "first": first,
        "last": last,
        "hours": [list(part) for part in usual],
        "weekend": weekend,
        "special": special,
        "closed": closed,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()]
    Path(__file__).with_name(f"{code}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(code, zone, last, len(sessions), "sessions", usual, len(special), "special", len(closed), "closed", len(weekend))


def usual_hours(sessions, earliest):
    """[first day, open, close] of each spell of ordinary hours: those of most sessions of sixty in a row."""
    days = sorted(sessions)
    parts = []
    for at in range(0, len(days), 60):
        some = [sessions[day] for day in days[at : at + 60]]
        hours = max(sorted(set(some)), key=some.count)
        if parts and parts[-1][1:] == hours:
            continue
        first = earliest
        if parts:
            first = next(day for day in days[max(0, at - 60) : at + 60] if all_from(sessions, days, day, hours))
        parts.append((first, *hours))
    return parts


def all_from(sessions, days, day, hours):
    place = days.index(day)
    some = [sessions[one] for one in days[place : place + 20]]
    return sessions[day] == hours and some.count(hours) > 15


for exchange, title in EXCHANGES.items():
    write(exchange, title)
