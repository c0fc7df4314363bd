"""What may stand under `node_protection:`."""

import pytest
from pydantic import ValidationError

from infra.models import NodeProtectionSpec


def test_one_core_is_spared_where_nothing_is_said():
    assert NodeProtectionSpec.model_validate({}).spare_cores == 1


@pytest.mark.parametrize("cores", [True, "1", 1.5, -1, 10**30])
def test_spare_cores_are_a_whole_number(cores):
    with pytest.raises(ValidationError, match="spare_cores"):
        NodeProtectionSpec.model_validate({"spare_cores": cores})
