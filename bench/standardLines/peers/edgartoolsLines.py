"""The standard concepts that edgartools gives to presented lines, as a table of lines.

  python edgartoolsLines.py presented.tsv > edgartools.tsv
  python edgartoolsLines.py PACKAGE.zip... > edgartools.tsv

Reads either what presentedLines.ts printed of a data set, or packages with an instance and its linkbases, which
edgartools parses itself. In both cases the lines of a statement go through its `standardize_statement`, which is what its
statements call. Lines of a data set have a tag, a label, the kind of statement and the industry that edgartools derives from the
SIC code; data sets state neither levels nor a calculation linkbase, so that it tells the sections of a balance sheet from
its subtotals. Lines of a package have all of that.

Prints accession, statement, line (the standard concept), last day, quarters, value and tag; several lines of a statement
may have the same standard concept. The accession of a package is the name of its file.
"""
import csv
import itertools
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

# Importing the package makes folders in the home folder, unless it is told of another one.
scratch = tempfile.TemporaryDirectory()
os.environ["EDGAR_LOCAL_DATA_DIR"] = scratch.name

# ruff: noqa: E402
from edgar.xbrl import XBRL
from edgar.xbrl.standardization import get_default_mapper, standardize_statement
from edgar.xbrl.standardization.sic_industry import sic_to_fama_french

STATEMENT_TYPES = {"income": "IncomeStatement", "balance": "BalanceSheet", "cash_flow": "CashFlowStatement"}
DAYS_PER_QUARTER = 365.25 / 4

Named = tuple[str, str, str, str, int, str, str]


def named_in_table(path: str) -> Iterator[Named]:
    def item_of(row: dict) -> dict:
        own = row["tag"].startswith("*")
        return {
            "concept": f"own_{row['tag'][1:]}" if own else f"us-gaap_{row['tag']}",
            "label": row["label"],
            "statement_type": STATEMENT_TYPES[row["statement"]],
            "level": 0,
            "row": row,
        }

    column_names = ("accession", "industry", "statement", "day", "quarters")
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for key, column in itertools.groupby(rows, lambda row: tuple(row[name] for name in column_names)):
            accession, industry, statement, day, quarters = key
            code = sic_to_fama_french(int(industry)) if industry else None
            items = [item_of(row) for row in column]
            for item in standardize_statement(items, get_default_mapper(), industry=code):
                if "standard_concept" in item:
                    row = item["row"]
                    line = item["standard_concept"]
                    yield accession, statement, line, day, int(quarters), row["value"], row["tag"]


def named_in_package(path: str) -> Iterator[Named]:
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        statements = XBRL.from_directory(folder).statements
        found = {
            "income": statements.income_statement(),
            "balance": statements.balance_sheet(),
            "cash_flow": statements.cash_flow_statement(),
        }
        for statement, presented in found.items():
            items = [
                {**item, "statement_type": STATEMENT_TYPES[statement]}
                for item in presented.get_raw_data()
                if not item.get("is_dimension") and not item.get("is_abstract")
            ]
            for item in standardize_statement(items, get_default_mapper()):
                if item.get("standard_concept") is None:
                    continue
                for period, value in item["values"].items():
                    if value is None or value == "" or (statement == "balance") != period.startswith("instant"):
                        continue
                    days = [date.fromisoformat(day) for day in period.split("_")[1:]]
                    quarters = round(((days[-1] - days[0]).days + 1) / DAYS_PER_QUARTER) if len(days) > 1 else 0
                    own = not item["concept"].startswith("us-gaap_")
                    tag = ("*" if own else "") + item["concept"].split("_", 1)[1]
                    last = days[-1].strftime("%Y%m%d")
                    yield Path(path).stem, statement, item["standard_concept"], last, quarters, str(value), tag


def main() -> None:
    paths = sys.argv[1:]
    if not paths:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    print("accession\tstatement\tline\tday\tquarters\tvalue\ttag")
    for path in paths:
        for named in named_in_package(path) if path.endswith(".zip") else named_in_table(path):
            print(*named, sep="\t")


if __name__ == "__main__":
    main()
