"""Prints the calculation inconsistencies that Arelle finds in a filing, as JSON.

inconsistencies.py ZIP FOLDER [TAG AMOUNT]: adds AMOUNT to every figure of TAG first.

Repeated figures are taken once: by default Arelle leaves sums with them out. The standard taxonomies are not at hand without internet access. A stub takes the place of each: it declares the concepts
of the instance and of the calculation linkbase with the types that their units show. Calculations need no more.
"""

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

XBRLI = "http://www.xbrl.org/2003/instance"
XSD = "http://www.w3.org/2001/XMLSchema"
LINK = "http://www.xbrl.org/2003/linkbase"
XLINK = "http://www.w3.org/1999/xlink"


def main(path: str, folder: pathlib.Path, changed: str | None, amount: int) -> None:
    archive = zipfile.ZipFile(path)
    names = archive.namelist()
    calculation = archive.read(next(n for n in names if n.endswith("_cal.xml"))).decode()
    instance = folder / "instance.xml"
    instance.write_bytes(archive.read(next(n for n in names if re.search(r"(\d|_htm)\.xml$", n))))
    namespaces = prefixes_of(instance)
    tree = ElementTree.parse(instance).getroot()
    contexts = {c.get("id"): context_of(c) for c in tree.iter(f"{{{XBRLI}}}context")}
    units = {u.get("id"): type_of([m.text for m in u.iter(f"{{{XBRLI}}}measure")]) for u in tree.iter(f"{{{XBRLI}}}unit")}
    declared = {}
    for fact in tree:
        if fact.get("contextRef") is None:
            continue
        namespace, name = fact.tag[1:].split("}")
        period = "duration" if "start" in contexts[fact.get("contextRef")] else "instant"
        declared.setdefault((namespaces[namespace], name), (units.get(fact.get("unitRef"), "string"), period))
    for fragment in re.findall(r'href="[^"#]*#([\w.-]+)"', calculation):
        prefix, _, name = fragment.partition("_")
        if prefix in namespaces.values():
            declared.setdefault((prefix, name), ("monetary", "duration"))
    write_stubs(folder, {prefix: namespace for namespace, prefix in namespaces.items()}, declared)
    calculation = re.sub(r"<(link:)?roleRef\b[^>]*?(/>|>.*?</(link:)?roleRef>)", "", calculation, flags=re.S)
    calculation = re.sub(r'href="[^"#]*#([A-Za-z0-9-]+)_', r'href="\1.xsd#\1_', calculation)
    (folder / "calculation.xml").write_text(calculation)
    text = re.sub(r'(schemaRef\b[^>]*href=")[^"]*', r"\1entry.xsd", instance.read_text())
    if changed is not None:
        pattern = rf"(<{changed}\b[^>]*>)(-?\d+)(</)"
        text = re.sub(pattern, lambda m: f"{m[1]}{int(m[2]) + amount}{m[3]}", text)
    instance.write_text(text)
    log = folder / "log.json"
    subprocess.run(
        [sys.executable, "-m", "arelle.CntlrCmdLine", "--internetConnectivity", "offline", "--file", str(instance)]
        + ["--validate", "--calc", "c10d", "--logFile", str(log)],
        check=True,
        capture_output=True,
    )
    entries = [entry for entry in json.loads(log.read_text())["log"] if entry["code"].endswith("calcInconsistency")]
    arguments = [entry["message"]["args"] for entry in entries]
    found = [
        {
            "concept": each["concept"],
            "role": each["linkrole"],
            "unreported": each["unreportedContributors"] != "none",
            **contexts[each["contextID"]],
        }
        for each in arguments
    ]
    print(json.dumps({"concepts": len(declared), "inconsistencies": found}))


def prefixes_of(path: pathlib.Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for _, (prefix, namespace) in ElementTree.iterparse(path, events=["start-ns"]):
        found.setdefault(namespace, prefix)
    return found


def context_of(context: ElementTree.Element) -> dict[str, object]:
    days = {e.tag.split("}")[1]: e.text.strip()[:10] for e in context.find(f"{{{XBRLI}}}period")}
    isDivided = any(e.tag.endswith("Member") for e in context.iter())
    if "instant" in days:
        return {"end": days["instant"], "divided": isDivided}
    return {"start": days["startDate"], "end": days["endDate"], "divided": isDivided}


def type_of(measures: list[str]) -> str:
    if len(measures) > 1:
        return "decimal"
    if re.search(r"(^|:)[A-Z]{3}$", measures[0]):
        return "monetary"
    name = measures[0].split(":")[-1]
    return name if name in ("shares", "pure") else "decimal"


def write_stubs(folder: pathlib.Path, namespaces: dict[str, str], declared: dict) -> None:
    prefixes = sorted({prefix for prefix, _ in declared})
    for prefix in prefixes:
        elements = "".join(
            f'<xsd:element id="{prefix}_{name}" name="{name}" type="xbrli:{kind}ItemType" substitutionGroup="xbrli:item"'
            f' nillable="true" xbrli:periodType="{period}"/>'
            for (of, name), (kind, period) in sorted(declared.items())
            if of == prefix
        )
        base = f'<xsd:import namespace="{XBRLI}" schemaLocation="http://www.xbrl.org/2003/xbrl-instance-2003-12-31.xsd"/>'
        (folder / f"{prefix}.xsd").write_text(
            f'<xsd:schema xmlns:xsd="{XSD}" xmlns:xbrli="{XBRLI}" targetNamespace="{namespaces[prefix]}"'
            f' elementFormDefault="qualified">{base}{elements}</xsd:schema>'
        )
    imports = "".join(f'<xsd:import namespace="{namespaces[p]}" schemaLocation="{p}.xsd"/>' for p in prefixes)
    (folder / "entry.xsd").write_text(
        f'<xsd:schema xmlns:xsd="{XSD}" xmlns:link="{LINK}" xmlns:xlink="{XLINK}" targetNamespace="http://entry">'
        f'<xsd:annotation><xsd:appinfo><link:linkbaseRef xlink:type="simple" xlink:href="calculation.xml"'
        f' xlink:arcrole="{XLINK}/properties/linkbase"/></xsd:appinfo></xsd:annotation>{imports}</xsd:schema>'
    )


if __name__ == "__main__":
    zip_path, out, *change = sys.argv[1:]
    main(zip_path, pathlib.Path(out), change[0] if change else None, int(change[1]) if change else 0)
