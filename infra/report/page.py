"""A report as one HTML file that fetches nothing: styles and pictures are in it, and there are no scripts."""

import html

from infra.report.figures import Report
from infra.report.plots import OFFLINE, ONLINE, OTHER, Series, bars, lines, stacked
from infra.report.words import TITLES, Gap, Section, sections, warnings, window_of

_COLOURS = {"online": ONLINE, "offline": OFFLINE, "system": OTHER}
_STYLE = """
:root { color-scheme: light dark; --text: #1f2328; --faint: #59636e; --page: #ffffff; --line: #d1d9e0;
  --warn: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --faint: #9198a1; --page: #0d1117; --line: #3d444d; --warn: #d29922; } }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; color: var(--text); background: var(--page);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 0 0 0.25rem; }
p { margin: 0 0 0.75rem; color: var(--faint); max-width: 50rem; }
p.warning { color: var(--warn); }
section { border-top: 1px solid var(--line); padding: 1.25rem 0; margin-top: 1.25rem; }
.beside > div { min-width: 0; max-width: 100%; }
.beside { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; }
.table { overflow-x: auto; max-width: 100%; }
.charts { display: flex; flex-wrap: wrap; gap: 1rem; min-width: 0; }
figure { margin: 0; min-width: 0; max-width: 100%; }
figcaption { color: var(--faint); font-size: 0.85rem; }
figure svg { max-width: 100%; height: auto; display: block; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { text-align: right; padding: 0.3rem 0 0.3rem 1.2rem; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
.worded td:last-child { text-align: left; }
p.gap { margin: 0.5rem 0 0; color: var(--warn); font-size: 0.9rem; }
@media (max-width: 30rem) { table { font-size: 0.8rem; } th, td { padding-left: 0.7rem; } }
th { font-weight: 600; }
"""


def page(report: Report) -> str:
    """The whole file. The same report is the same bytes."""
    title = f"Colocation report of stack {report.stack}"
    told = "".join(f'<p class="warning">{html.escape(text)}.</p>\n' for text in warnings(report))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{html.escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header>
<h1>{html.escape(title)}</h1>
<p>{html.escape(window_of(report))}</p>
{told}</header>
<main>
{"".join(_section(report, section) for section in sections(report))}</main>
</body>
</html>
"""


def _section(report: Report, section: Section) -> str:
    charts = "".join(_figure(report, name) for name in section.charts)
    beside = f'<div class="charts">\n{charts}</div>\n' if charts else ""
    return f"""<section>
<h2>{html.escape(section.title)}</h2>
<p>{html.escape(section.about)}</p>
<div class="beside">
{_table(section)}{beside}</div>
</section>
"""


def _table(section: Section) -> str:
    """What is known, and below it what is not."""
    gaps = "".join(
        f'<p class="gap"><b>{html.escape(row.name)}</b>: {html.escape(row.text)}</p>\n'
        for row in section.rows
        if isinstance(row, Gap)
    )
    rows = "\n".join(_row(row) for row in section.rows if not isinstance(row, Gap))
    if not rows:
        return f"<div>\n{gaps}</div>\n"
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in section.head)
    worded = ' class="worded"' if section.head[-1] == "" else ""
    return f"""<div>
<div class="table" tabindex="0">
<table{worded}>
<thead><tr>{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
{gaps}</div>
"""


def _row(row: tuple[str, ...]) -> str:
    first, *others = map(html.escape, row)
    cells = "".join(f"<td>{text}</td>" for text in others)
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _figure(report: Report, name: str) -> str:
    title, svg = _chart(report, name)
    return f"<figure>\n<figcaption>{html.escape(title)}</figcaption>\n{svg}</figure>\n"


def _chart(report: Report, name: str) -> tuple[str, str]:
    """What it is called, and the picture."""
    if name in ("filled", "demand"):
        return _filled(report) if name == "filled" else _demand(report)
    series = [
        Series(name=one.name, values=one.values, colour=_COLOURS.get(one.name))
        for one in report.courses[name]
    ]
    identity = name.replace(" ", "-")
    if name == "throttled":
        title = "Periods in which CPU limits held containers back"
        return title, lines(identity, title, report.moments, series, y="% of periods")
    if name == "jobs":
        title = "Jobs running"
        return title, lines(identity, title, report.moments, series, y="jobs")
    title = _title(name)
    return title, stacked(identity, title, report.moments, series, y="% of allocatable")


def _filled(report: Report) -> tuple[str, str]:
    title = "How full nodes are without offline work, and with it"
    uses = [use for use in report.uses if use.resource != "gpu"]
    series = [
        Series(name="R1, without", values=[use.r1_percent for use in uses], colour=ONLINE),
        Series(name="R2, with", values=[use.r2_percent for use in uses], colour=OFFLINE),
    ]
    groups = [_title(f"{use.resource} {use.basis}").replace(" ", "\n") for use in uses]
    return title, bars("filled", title, groups, series, y="% of allocatable")


def _demand(report: Report) -> tuple[str, str]:
    title = "What pods request, and what they use of it"
    shares = [(one, use) for one in report.demands if (use := report.use(one.resource, "used"))]
    series = [
        Series(name="requested", values=[use.percent(one.requested) for one, use in shares], colour=OTHER),
        Series(name="used", values=[use.percent(one.used) for one, use in shares], colour=ONLINE),
    ]
    groups = [f"{TITLES[one.resource]}\n{one.of}" for one, _ in shares]
    return title, bars("demand", title, groups, series, y="% of allocatable")


def _title(name: str) -> str:
    resource, _, basis = name.partition(" ")
    return f"{TITLES[resource]} {basis}"
