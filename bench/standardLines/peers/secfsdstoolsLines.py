"""Standardised statements of a quarter's data set by secfsdstools, as a table of lines.

  python secfsdstoolsLines.py ZIP > secfsdstools.tsv

Prints accession, statement, line, last day, quarters, value and applied rules as tab-separated values. It runs the
pipeline that secfsdstools documents (its four filters, then the join, then the standardizer of each statement), on all
forms of the data set instead of 10-K and 10-Q alone.
"""
import logging
import os
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Iterator

import pandas as pd

# Importing the package writes a configuration to the home folder and downloads every data set, unless it finds one.
scratch = tempfile.TemporaryDirectory()
os.environ["SECFSDSTOOLS_CFG"] = os.path.join(scratch.name, "secfsdstools.cfg")
with open(os.environ["SECFSDSTOOLS_CFG"], "w", encoding="utf-8") as configuration:
    configuration.write("[DEFAULT]\nUserAgentEmail = nobody@example.com\nAutoUpdate = False\n")
    for folder in ("Download", "Db", "Parquet"):
        configuration.write(f"{folder}Directory = {scratch.name}\n")
logging.disable(logging.CRITICAL)

# ruff: noqa: E402
from secfsdstools.a_utils.constants import NUM_COLS, NUM_DTYPE, PRE_COLS, PRE_DTYPE, SUB_DTYPE
from secfsdstools.d_container.databagmodel import RawDataBag
from secfsdstools.e_filter.rawfiltering import StmtRawFilter
from secfsdstools.f_standardize.base_rule_framework import Rule, RuleGroup
from secfsdstools.f_standardize.base_rules import CopyTagRule
from secfsdstools.f_standardize.bs_standardize import BalanceSheetStandardizer
from secfsdstools.f_standardize.cf_standardize import CashFlowStandardizer
from secfsdstools.f_standardize.is_standardize import IncomeStatementStandardizer
from secfsdstools.f_standardize.standardizing import Standardizer
from secfsdstools.u_usecases.bulk_loading import default_postloadfilter

STANDARDIZERS = {
    "income": ("IS", IncomeStatementStandardizer),
    "balance": ("BS", BalanceSheetStandardizer),
    "cash_flow": ("CF", CashFlowStandardizer),
}


def read_bag(path: str) -> RawDataBag:
    with zipfile.ZipFile(path) as archive:

        def table(name: str, dtype: dict, columns: list[str] | None) -> pd.DataFrame:
            with archive.open(name) as file:
                return pd.read_csv(file, sep="\t", encoding="utf-8", dtype=dtype, usecols=columns, quoting=3)

        sub = table("sub.txt", SUB_DTYPE, None)
        num = table("num.txt", NUM_DTYPE, NUM_COLS)
        pre = table("pre.txt", PRE_DTYPE, PRE_COLS)
    # The package stores its tables with these types before it reads them again.
    num["value"] = pd.to_numeric(num["value"], errors="coerce")
    num["coreg"] = num["coreg"].fillna("")
    num["segments"] = num["segments"].fillna("")
    return RawDataBag.create(sub_df=sub, pre_df=pre, num_df=num)


def rules_in(group: RuleGroup) -> Iterator[Rule]:
    for entity in group.rules:
        if isinstance(entity, RuleGroup):
            yield from rules_in(entity)
        else:
            yield entity


def name_of(rule: Rule) -> str:
    """`copy ProfitLoss`, `sum`, `zero`: what the rule does, with its source if it has one alone."""
    if isinstance(rule, CopyTagRule):
        return f"copy {rule.original}"
    kinds = {
        "SumUpRule": "sum",
        "MissingSumRule": "sum",
        "MissingSummandRule": "difference",
        "SubtractFromRule": "difference",
        "PostSetToZero": "zero",
        "PostFixSign": "sign",
        "SetSumIfOnlyOneSummand": "copy summand",
        "PostCopyToFirstSummand": "copy sum",
    }
    return kinds.get(type(rule).__name__, type(rule).__name__)


def applied_rules(standardizer: Standardizer) -> dict[tuple, dict[str, list[str]]]:
    """By statement and column, the rules that set each line, in order; a line that no rule set was stated as such."""
    columns: dict[str, Rule] = {}
    for tree, label in ((standardizer.pre_rule_tree, "PRE"), (standardizer.main_rule_tree, "MAIN"), (standardizer.post_rule_tree, "POST")):
        # Identifiers of the main rules end with those of their last round.
        for round_number in range(1, standardizer.main_iterations + 1) if label == "MAIN" else (None,):
            tree.set_id(label if round_number is None else f"MAIN_{round_number}")
            columns.update({rule.identifier: rule for rule in rules_in(tree)})
    found: dict[tuple, dict[str, list[str]]] = {}
    log = standardizer.applied_rules_log_df
    named = [(column, columns[column]) for column in log.columns if column in columns]
    for row in log.to_dict("records"):
        of_lines = found.setdefault((row["adsh"], row["ddate"], row["qtrs"]), {})
        for column, rule in named:
            if row[column]:
                for line in rule.get_target_tags():
                    of_lines.setdefault(line, []).append(name_of(rule))
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    bag = default_postloadfilter(read_bag(sys.argv[1]))
    print("accession\tstatement\tline\tday\tquarters\tvalue\trules")
    for statement, (code, standardizer_class) in STANDARDIZERS.items():
        standardizer = standardizer_class()
        lines = bag[StmtRawFilter([code])].join().present(standardizer)
        rules = applied_rules(standardizer)
        for row in lines.to_dict("records"):
            of_lines = rules.get((row["adsh"], row["ddate"], row["qtrs"]), {})
            for line in standardizer.final_tags:
                if pd.notna(row[line]):
                    applied = " > ".join(of_lines.get(line, ["stated"]))
                    value = repr(float(row[line]))
                    print(row["adsh"], statement, line, row["ddate"], row["qtrs"], value, applied, sep="\t")


if __name__ == "__main__":
    main()
