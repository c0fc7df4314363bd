"""One run of the program: read the stack file, declare what it says, export what people read."""

import pulumi

from infra.assembly import assemble
from infra.load import StackFileError
from infra.places import stack_file
from infra.plan import plan
from infra.preconditions import UnmetError, require
from infra.stack_secrets import secret_names, stored_in

name, config = pulumi.get_stack(), pulumi.Config()
try:
    ready = plan(stack_file(name), config.get("trainingOperatorSource"), stored_in(config))
    require(ready.stack)
except (StackFileError, UnmetError) as error:
    raise pulumi.RunError(str(error)) from None
secrets = {key: config.require_secret(key) for key in secret_names(ready.stack)}
for key, value in assemble(ready, name, secrets).items():
    pulumi.export(key, value)
