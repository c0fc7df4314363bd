"""Quantities are exact, and written as the API server writes them."""

from decimal import Decimal

import pytest

from infra.models.quantities import amount, count, cpu, memory, size


@pytest.mark.parametrize("same", [0.5, "0.5", "500m", "5e-1", ".5", "+0.5", "500000u"])
def test_every_spelling_of_half_a_core_is_one_text(same):
    assert cpu(same) == "500m"


@pytest.mark.parametrize(
    ("given", "text"),
    [(0.1, "100m"), (2, "2"), ("2.5", "2500m"), ("1000m", "1"), (0, "0"), ("1k", "1k"), ("1m", "1m")],
)
def test_cores_are_written_without_rounding(given, text):
    assert cpu(given) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("600Gi", "600Gi"),
        ("1000M", "1G"),
        ("2000Mi", "2000Mi"),
        (1073741824, "1073741824"),
        ("1288490188800m", "1288490188800m"),  # how the API server writes 1.2Gi back
        ("1.2Gi", "1288490188800m"),
        ("2e9", "2G"),
        ("0", "0"),
    ],
)
def test_memory_keeps_its_family_of_suffixes(given, text):
    assert memory(given) == text


def test_binary_and_decimal_suffixes_are_different_amounts():
    assert amount("1Gi") == Decimal(1073741824)
    assert amount("1G") == Decimal(1000000000)
    assert amount("1E") == Decimal(10) ** 18  # exa, not an exponent


@pytest.mark.parametrize(
    "text", ["1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei", "1n", "1u", "1m", "1k", "1M", "1T", "1P"]
)
def test_a_suffix_survives_being_written_back(text):
    from infra.models.quantities import _parse

    assert _parse(text, "anything", "1") == (amount(text), text)


@pytest.mark.parametrize("slip", ["512m", "512", 512, "1000k", "1023Ki"])
def test_memory_below_a_mebibyte_is_taken_for_a_slip(slip):
    with pytest.raises(ValueError, match="did you mean"):
        memory(slip)


def test_the_guess_names_the_same_figure():
    with pytest.raises(ValueError, match=r"'512m' is less than a byte; did you mean 512Mi\?"):
        memory("512m")


def test_exactly_a_mebibyte_is_memory():
    assert memory("1Mi") == "1Mi"
    assert memory("1024Ki") == "1Mi"


@pytest.mark.parametrize(
    "text",
    [
        "1 Gi",
        "1GB",
        "-1",
        ".",
        "",
        "1gi",
        "Gi",
        "1e",
        "1Kii",
        "0x10",
        "1_0",
        "½",
        "٣Gi",
        "1\n",
        True,
        None,
        [1],
    ],
)
def test_what_is_no_quantity_is_refused_with_an_example(text):
    with pytest.raises(ValueError, match="is not an amount of memory; write one such as 512Mi"):
        memory(text)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(value):
    with pytest.raises(ValueError, match="is not an amount of CPU"):
        cpu(value)


def test_cpu_finer_than_a_thousandth_is_refused():
    with pytest.raises(ValueError, match="finer than a thousandth"):
        cpu("0.0005")


@pytest.mark.parametrize("huge", ["16Ei", "1e999", 10**30])
def test_more_than_the_api_server_can_hold_is_refused(huge):
    with pytest.raises(ValueError, match="larger than Kubernetes can count"):
        memory(huge)


@pytest.mark.parametrize(
    "endless", ["9" * 5000, "0." + "0" * 5000 + "1", pytest.param(10**5000, id="a number"), 1e300]
)
def test_more_digits_than_any_amount_has_get_one_short_sentence(endless):
    with pytest.raises(ValueError, match="characters; write less, such as 512Mi") as caught:
        memory(endless)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("exact", [2**53 + 1, 10**18 + 1, "1000000000000000001"])
def test_no_digit_of_a_large_number_is_lost(exact):
    assert memory(exact) == str(exact)


def test_no_digit_of_a_small_number_is_lost():
    with pytest.raises(ValueError, match="finer than a thousandth"):
        cpu("1.0000000000000000000000000000000001")


@pytest.mark.parametrize("power", ["1e-999", "1E+999"])
def test_a_huge_exponent_gets_a_sentence(power):
    with pytest.raises(ValueError, match=r"finer than|larger than"):
        cpu(power)


@pytest.mark.parametrize("nothing", ["0", 0, "0Gi", 0.0])
def test_what_holds_data_has_a_size(nothing):
    assert memory(nothing) == "0"
    with pytest.raises(ValueError, match="hold nothing; write one such as 10Gi"):
        size(nothing)


def test_pieces_come_whole():
    assert count("16") == count(16) == "16"
    with pytest.raises(ValueError, match="not whole"):
        count("500m")
