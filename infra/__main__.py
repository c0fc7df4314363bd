"""One run of the program: read the stack file, declare what it says, export what people read."""

import pulumi

from components.cluster_access import NoClusterError, require_kubeconfig
from infra.assembly import assemble
from infra.chart_source import NoChartError, require_chart
from infra.load import StackFileError
from infra.places import stack_file
from infra.plan import plan

name, config = pulumi.get_stack(), pulumi.Config()
try:
    ready = plan(stack_file(name), operator_source=config.get("trainingOperatorSource"))
    require_kubeconfig()
    require_chart(ready.stack.monitoring)
except (StackFileError, NoClusterError, NoChartError) as error:
    raise pulumi.RunError(str(error)) from None
for key, value in assemble(ready, name).items():
    pulumi.export(key, value)
