"""`extends:`: a file that says only in what it differs from another."""

import pytest
import yaml

from infra.cli import main
from infra.load import StackFileError
from infra.plan import plan


@pytest.fixture
def files(stack_file, tmp_path):
    """Writes shared/base.yaml and others beneath a stack file, which extends the base."""

    def write(base, over, **more):
        (tmp_path / "shared").mkdir(exist_ok=True)
        for name, content in {"base": base, **more}.items():
            text = content if isinstance(content, str) else yaml.safe_dump(content)
            (tmp_path / "shared" / f"{name}.yaml").write_text(text)
        text = over if isinstance(over, str) else yaml.safe_dump(over)
        return stack_file(f"extends: shared/base.yaml\n{text if over else ''}")

    return write


def test_a_file_may_add_nothing(files, data):
    assert plan(files(data, {})).stack.jobs[0].name == "mnist"


def test_mappings_merge_by_key(files, data):
    stack = plan(files(data, {"training_operator": {"install": False}})).stack
    assert (stack.training_operator.namespace, stack.training_operator.install) == ("vision", False)


def test_things_merge_by_name_and_new_ones_follow(files, data):
    over = {
        "jobs": [
            data["jobs"][0] | {"name": "b"},
            {"name": "mnist", "args": ["x"]},
            data["jobs"][0] | {"name": "a"},
        ]
    }
    jobs = plan(files(data, over)).stack.jobs
    assert [(job.name, job.args) for job in jobs] == [("mnist", ("x",)), ("b", ()), ("a", ())]
    assert jobs[0].image == data["jobs"][0]["image"]


@pytest.mark.parametrize(("nodes", "kept"), [(["n9"], ["n9"]), (["n1", "n2", "n3"], ["n1", "n2", "n3"])])
def test_other_lists_replace(files, data, nodes, kept):
    assert list(plan(files(data, {"pools": [{"name": "gpu", "nodes": nodes}]})).stack.pools[0].nodes) == kept


def test_an_empty_list_replaces(files, data):
    assert plan(files(data, {"jobs": []})).stack.jobs == ()


def test_null_removes_a_key(files, data):
    data["tenants"][0]["quota"] = {"pods": 5, "services": 6}
    over = {"tenants": [{"name": "vision", "quota": {"pods": None}}], "jobs": None, "storage": None}
    stack = plan(files(data, over)).stack
    assert stack.tenants[0].quota == {"services": "6"}
    assert (stack.jobs, stack.storage) == ((), ())


def test_a_chain_is_followed_from_folder_to_folder(files, data):
    middle = {"extends": "root.yaml", "tenants": [{"name": "vision", "pod_security": "baseline"}]}
    file = files(middle, {"tenants": [{"name": "vision", "network_policy": False}]}, root=data)
    [tenant] = plan(file).stack.tenants
    assert (tenant.pod_security, tenant.network_policy) == ("baseline", False)


def test_a_fault_is_told_in_the_file_and_at_the_place_where_it_stands(files, data):
    data["jobs"].insert(0, data["jobs"][0] | {"name": "first", "pool": "gpsu"})
    over = "jobs:\n  - name: mnist\n    priority: offline\n  - name: new\n"
    with pytest.raises(StackFileError) as caught:
        plan(files(data, over))
    found = {(f.file.rpartition("/")[2], f.line, f.path, f.object, f.code) for f in caught.value.findings}
    line = yaml.safe_dump(data).splitlines().index("  pool: gpsu") + 1
    assert ("base.yaml", line, "jobs[0].pool", "first", "unknown-pool") in found
    assert ("test.yaml", 4, "jobs[0].priority", "mnist", "unknown-priority") in found
    assert ("test.yaml", 5, "jobs[1].tenant", "new", "missing-key") in found


def test_findings_of_several_files_are_sorted_by_file_and_line(files):
    with pytest.raises(StackFileError) as caught:
        plan(files("b: 1\na: 1\n", "d: 1\nc: 1\n"))
    assert [f.path for f in caught.value.findings] == ["b", "a", "d", "c"]


@pytest.mark.parametrize("where", ["base", "over"])
def test_a_name_given_twice_in_one_file_stays_a_fault(files, data, where):
    twice = {"tenants": [{"name": "vision"}, {"name": "vision"}]}
    base, over = (data | twice, {}) if where == "base" else (data, twice)
    with pytest.raises(StackFileError) as caught:
        plan(files(base, over))
    assert [f.code for f in caught.value.findings] == ["duplicate-name"]


def test_a_key_given_twice_beneath_stays_a_fault(files):
    with pytest.raises(StackFileError) as caught:
        plan(files("tenants: [{name: a}]\ntenants: [{name: a}]\n", {}))
    [found] = caught.value.findings
    assert (found.file.rpartition("/")[2], found.line, found.code) == ("base.yaml", 2, "duplicate-key")


@pytest.mark.parametrize("next_one", ["base.yaml", "../test.yaml", "../shared/base.yaml"])
def test_a_loop_is_refused_where_it_closes(files, next_one):
    with pytest.raises(StackFileError) as caught:
        plan(files(f"tenants: []\nextends: {next_one}\n", {}))
    [found] = caught.value.findings
    assert (found.file.rpartition("/")[2], found.line, found.code) == ("base.yaml", 2, "extends-loop")


@pytest.mark.parametrize("name", ["none.yaml", "/", "shared"])
def test_a_base_that_cannot_be_read_is_told_where_it_is_named(stack_file, capsys, name):
    file = stack_file(f"tenants: []\nextends: {name}\n")
    assert main(["check", "--file", str(file)]) == 2
    assert f"{file}:2 extends: " in capsys.readouterr().out


def test_a_base_that_is_no_name_of_a_file_is_one_fault(stack_file, faults):
    assert faults(stack_file("extends: [a]\n")) == [
        "test.yaml:1 extends: a list stands here; write text, in quotes if it looks like a number or a switch"
    ]


def test_a_base_without_a_name_is_one_fault(stack_file, faults):
    assert faults(stack_file("extends: ''\n")) == ["test.yaml:1 extends: '' stands here; write some text"]


def test_a_long_chain_is_refused_where_it_becomes_too_long(files, tmp_path):
    for i in range(40):
        (tmp_path / f"{i}.yaml").write_text(f"extends: {i + 1}.yaml\n")
    with pytest.raises(StackFileError) as caught:
        plan(tmp_path / "0.yaml")
    [found] = caught.value.findings
    assert (found.file.rpartition("/")[2], found.code) == ("19.yaml", "extends-too-deep")
