"""Requests stay within limits, and GPUs come whole."""

import pytest
from pydantic import ValidationError

from infra.models import Amounts, Resources


def test_amounts_are_spelt_as_kubernetes_does():
    amounts = Amounts.model_validate({"cpu": 0.5, "ephemeral_storage": "2Gi"})
    assert amounts.as_kubernetes() == {"cpu": "500m", "ephemeral-storage": "2Gi"}


def test_a_request_may_equal_its_limit():
    equal = {"requests": {"cpu": 1, "memory": "1024Mi"}, "limits": {"cpu": "1000m", "memory": "1Gi"}}
    assert Resources.model_validate(equal).gpus == 0


@pytest.mark.parametrize("limit", ["2G", "2047Mi"])
def test_a_request_above_its_limit_is_refused_across_suffixes(limit):
    with pytest.raises(ValidationError, match="raise the limit or lower the request"):
        Resources.model_validate({"requests": {"memory": "2Gi"}, "limits": {"memory": limit}})


def test_a_request_without_a_limit_is_fine():
    assert Resources.model_validate({"requests": {"cpu": 4}}).requests.cpu == "4"


@pytest.mark.parametrize("gpus", [0.5, "1", -1, True])
def test_gpus_are_whole_numbers(gpus):
    with pytest.raises(ValidationError, match="gpus"):
        Resources.model_validate({"gpus": gpus})


def test_the_kubernetes_name_of_gpus_is_no_key():
    with pytest.raises(ValidationError, match="nvidia"):
        Resources.model_validate({"requests": {"nvidia.com/gpu": 1}})
