"""Dashboards in Grafana's JSON, by its own SDK; the same dashboard is the same text every time.

Grafana reads files of the first dashboard schema, which the SDK calls deprecated beside its second one.
"""

import json
from collections.abc import Iterator

from grafana_foundation_sdk.builders import (
    bargauge,
    common,
    dashboard,
    prometheus,
    stat,
    statetimeline,
    table,
    text,
    timeseries,
)
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as words
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models import prometheus as query_model
from grafana_foundation_sdk.models import text as text_model

from components.rendering.dashboards.parts import TAG, Choice, Dashboard, Panel, Query, Row, Text, Variable

DATASOURCE = "datasource"
"""The variable by which the reader chooses a Prometheus; at first the default one."""
_SOURCE = words.DataSourceRef(type_val="prometheus", uid=f"${{{DATASOURCE}}}")
_WIDTH = 24
_ALL = model.VariableOption(selected=True, text=["All"], value=["$__all"])


def grafana_json(rendered: Dashboard) -> str:
    """What the file of a dashboard holds."""
    page = (
        dashboard.Dashboard(rendered.title)
        .uid(rendered.uid)
        .description(rendered.description)
        .tags([TAG])
        .readonly()  # what is changed in the browser would be lost with the next update
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .time("now-1h", "now")
        .refresh("30s")
        .timezone("")  # as Grafana, or the reader, is set
        .link(
            dashboard.DashboardLink("Dashboards")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .as_dropdown(True)
            .keep_time(True)
            .include_vars(False)
            .placement("")  # beside the variables; the SDK's default hides it in a menu
        )
        .with_variable(dashboard.DatasourceVariable(DATASOURCE).label("Data source").type("prometheus"))
    )
    for variable in rendered.variables:
        page.with_variable(_variable(variable))
    for part in _placed(rendered.rows):
        if isinstance(part, dashboard.Row):
            page.with_row(part)
        else:
            page.with_panel(part)
    return json.dumps(page.build(), cls=JSONEncoder, sort_keys=True, indent=1)


def _variable(variable: Variable | Choice) -> Builder[model.VariableModel]:
    if isinstance(variable, Choice):
        return (
            dashboard.CustomVariable(variable.name)
            .label(variable.label)
            .values(",".join(variable.values))
            .multi(True)
            .include_all(True)
            .current(_ALL)
        )
    asked = (
        dashboard.QueryVariable(variable.name)
        .label(variable.label)
        .datasource(_SOURCE)
        .query({"query": variable.query, "refId": variable.name})
        .definition(variable.query)
        .regex(variable.regex)
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
    )
    if variable.several:
        asked.multi(True).include_all(True).current(_ALL)
    if variable.hidden:
        asked.hide(model.VariableHide.HIDE_VARIABLE)
    return asked


def _placed(rows: tuple[Row, ...]) -> Iterator[dashboard.Row | Builder[model.Panel]]:
    """Every part with its number and its place."""
    number, top = 0, 0
    for row in rows:
        number += 1
        yield dashboard.Row(row.title).id(number).grid_pos(model.GridPos(h=1, w=_WIDTH, x=0, y=top))
        top, left, tallest = top + 1, 0, 0
        for panel in row.panels:
            number += 1
            if left + panel.width > _WIDTH:
                top, left, tallest = top + tallest, 0, 0
            place = model.GridPos(h=panel.height, w=panel.width, x=left, y=top)
            made = _text(panel) if isinstance(panel, Text) else _panel(panel)
            yield (made.title(panel.title).description(panel.description).id(number).grid_pos(place))
            left, tallest = left + panel.width, max(tallest, panel.height)
        top += tallest


def _text(panel: Text) -> text.Panel:
    return text.Panel().mode(text_model.TextMode.MARKDOWN).content(panel.markdown)


_Panel = timeseries.Panel | stat.Panel | bargauge.Panel | table.Panel | statetimeline.Panel


def _panel(panel: Panel) -> _Panel:
    made = _of_kind(panel).datasource(_SOURCE).unit(panel.unit)
    for i, query in enumerate(panel.queries):
        made.with_target(_query(query, chr(ord("A") + i), panel))
    steps = [model.Threshold(value=None, color="green")]
    steps += [model.Threshold(value=t.value, color=t.colour) for t in panel.thresholds]
    made.thresholds(dashboard.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(steps))
    if panel.states:
        shown = {str(s.value): model.ValueMappingResult(text=s.text, color=s.colour) for s in panel.states}
        made.mappings([model.ValueMap(options=shown)])
    if panel.maximum is not None:
        made.min(0).max(panel.maximum)
    return made


def _of_kind(panel: Panel) -> _Panel:
    by_threshold = dashboard.FieldColor().mode(model.FieldColorModeId.THRESHOLDS)
    match panel.kind:
        case "timeseries":
            return _timeseries(panel)
        case "stat":
            return stat.Panel().reduce_options(_last()).color_scheme(by_threshold)
        case "bars":
            bars = bargauge.Panel().reduce_options(_last()).color_scheme(by_threshold)
            return bars.orientation(words.VizOrientation.HORIZONTAL)
        case "states":
            return statetimeline.Panel().color_scheme(by_threshold).merge_values(True)
        case "table":
            return _table(panel)


def _timeseries(panel: Panel) -> timeseries.Panel:
    legend = (
        common.VizLegendOptions()
        .display_mode(words.LegendDisplayMode.TABLE)
        .placement(words.LegendPlacement.BOTTOM)
        .calcs(["lastNotNull", "max"])
        .show_legend(True)
    )
    tooltip = common.VizTooltipOptions().mode(words.TooltipDisplayMode.MULTI)
    made = timeseries.Panel().legend(legend).tooltip(tooltip).axis_soft_min(0)
    if panel.thresholds:
        style = common.GraphThresholdsStyleConfig().mode(words.GraphThresholdsStyleMode.DASHED)
        made.thresholds_style(style)
    if panel.stacked:
        made.fill_opacity(30).stacking(common.StackingConfig().mode(words.StackingMode.NORMAL))
    return made


def _table(panel: Panel) -> table.Panel:
    """Labels become columns, and the time is left out."""
    order = {name: i for i, name in enumerate((*panel.columns, "Value"))}
    transformations = [
        model.DataTransformerConfig(
            id_val="filterFieldsByName", options={"include": {"names": [*panel.columns, "Value"]}}
        ),
        model.DataTransformerConfig(
            id_val="organize",
            options={"indexByName": order, "renameByName": {"Value": panel.value_column}},
        ),
    ]
    made = table.Panel().transformations(transformations)
    for link in panel.links:
        shown = [{"title": link.title, "url": link.url}]
        made.override_by_name(link.column, [model.DynamicConfigValue(id_val="links", value=shown)])
    return made


def _last() -> common.ReduceDataOptions:
    return common.ReduceDataOptions().calcs(["lastNotNull"]).values(False)


def _query(query: Query, ref_id: str, panel: Panel) -> prometheus.Dataquery:
    asked = prometheus.Dataquery().expr(query.expr).ref_id(ref_id).datasource(_SOURCE)
    if query.legend:
        asked.legend_format(query.legend)
    if panel.kind == "table":
        return asked.instant().format(query_model.PromQueryFormat.TABLE)
    return asked.instant() if panel.kind in ("stat", "bars") else asked.range()
