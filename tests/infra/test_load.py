"""A stack file becomes a stack, or one line for each thing that is wrong."""

import time

import pytest
import yaml

from infra import yaml_marks
from infra.load import load


def test_a_good_file_becomes_a_stack(stack_file, data):
    draft = load(stack_file(data))
    assert draft.faults == ()
    assert draft.part.stack.jobs[0].name == "mnist"


def test_every_fault_is_found_in_one_run_in_the_order_of_the_file(stack_file, faults):
    text = """\
pools:
  - name: gpu
    nodes: [a, a]
    taints: [{key: gpu, effect: NoSchedul}]
  - name: Big
    node: [b]
tenants:
  - name: vision
    quota: {requests.cpus: 3, requests.memory: 512m}
jobs:
  - name: x
    tenant: vision
    image: m nist
    wrokers: {replicas: 1}
"""
    assert faults(stack_file(text)) == [
        "test.yaml:4 pools[0].taints[0].effect: 'NoSchedul' is not known; "
        "write one of NoSchedule, PreferNoSchedule, NoExecute (did you mean NoSchedule?)",
        "test.yaml:5 pools[1].name: 'Big' is not a valid name here; "
        "use lower-case letters, digits and '-', with a letter or digit at each end",
        "test.yaml:6 pools[1].node: is not a known key; write nodes",
        "test.yaml:9 tenants[0].quota[requests.cpus]: "
        "is not a quota that Kubernetes knows; write requests.cpu",
        "test.yaml:9 tenants[0].quota[requests.memory]: '512m' is less than a byte; did you mean 512Mi?",
        "test.yaml:11 jobs[0].priority: is missing; add `priority:`",
        "test.yaml:13 jobs[0].image: 'm nist' is not an image; write registry/name:tag, "
        "with lower-case letters, digits and single '.', '_' or '-' in the name",
        "test.yaml:14 jobs[0].wrokers: is not a known key; write worker",
    ]


def test_a_rule_between_fields_names_the_line_of_the_field(stack_file, faults):
    text = "pools:\n  - name: gpu\n    nodes:\n      - a\n      - a\n"
    assert faults(stack_file(text)) == ["test.yaml:5 pools[0].nodes[1]: a is listed already; list it once"]


def test_a_key_given_twice_is_refused_with_both_lines(stack_file, faults):
    text = "tenants:\n  - name: a\n    quota: {pods: 1}\n    name: b\n"
    assert faults(stack_file(text)) == [
        "test.yaml:4 tenants[0].name: given twice, first on line 2; keep one of the two"
    ]


def test_keys_that_a_merge_brings_may_be_overridden(stack_file):
    text = "tenants:\n  - &first {name: a, quota: {pods: 1}}\n  - {<<: *first, name: b}\n"
    stack = load(stack_file(text)).part.stack
    assert [(t.name, t.quota["pods"]) for t in stack.tenants] == [("a", "1"), ("b", "1")]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("replicaz", "write replicas"),
        ("restartPolicy", "write restart_policy"),
        ("Replicas", "write replicas"),
        (
            "colour",
            "known here: replicas, resources, restart_policy, image, command, args, env, pod_overrides",
        ),
    ],
)
def test_an_unknown_key_is_met_with_the_nearest_or_all(stack_file, data, key, hint, faults):
    data["jobs"][0]["worker"][key] = 1
    [fault] = faults(stack_file(data))
    assert fault.endswith(f"jobs[0].worker.{key}: is not a known key; {hint}")


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        (5, "5 stands here; write text, in quotes if it looks like a number"),
        (None, "has no value; write one, or remove the key"),
        ([], "a list stands here; write text"),
        ({}, "a mapping stands here; write text"),
    ],
)
def test_a_value_of_another_kind_says_what_to_write(stack_file, data, value, complaint, faults):
    data["jobs"][0]["tenant"] = value
    [fault] = faults(stack_file(data))
    assert complaint in fault


def test_a_list_where_pairs_belong_says_so(stack_file, data, faults):
    data["jobs"][0]["worker"] = [1]
    data["tenants"] = {"name": "a"}
    found = "\n".join(faults(stack_file(data)))
    assert "jobs[0].worker: a list stands here; write `key: value` pairs" in found
    assert "tenants: a mapping stands here; write a list, each item after '- '" in found


def test_numbers_out_of_range_say_the_range(stack_file, data, faults):
    data["jobs"][0]["worker"]["replicas"] = 0
    data["jobs"][0]["run_policy"] = {"backoff_limit": 2**31}
    found = "\n".join(faults(stack_file(data)))
    assert "0 is too low; write 1 or more" in found
    assert "2147483648 is too high; write 2147483647 or less" in found


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "test.yaml:1 the file: is empty; write at least `tenants:`, see stacks/dev.yaml"),
        (b"# only a comment\n", "test.yaml:1 the file: is empty;"),
        (b"a: 1\nb: \xff\n", "test.yaml:2 the file: is not UTF-8 text; save it as UTF-8"),
        (b"pools:\n\t- name: a\n", "test.yaml:2 the file: a tab stands where YAML wants spaces"),
        (b"\n- a\n", "test.yaml:2 the file: holds no `key: value` pairs"),
        (b"hello\n", "test.yaml:1 the file: holds no `key: value` pairs"),
        (b"pools: [1\n", "test.yaml:2 the file: not valid YAML ("),
        (b"pools: []\n---\njobs: []\n", "test.yaml:2 the file: a second document starts here"),
        (b"pools: &a [*a]\n", "test.yaml:1 the file: an alias contains itself"),
        (b"pools: *a\n", "test.yaml:1 the file: a value starts with * and is no alias; write it in quotes"),
        (b"a: !!python/name:os.system x\n", "test.yaml:1 the file: has the tag"),
        (b"a: \x07\n", "test.yaml:1 the file: holds a control character"),
        (b"a: " + b"[" * 3000 + b"]" * 3000, "test.yaml:1 the file: is nested too deeply"),
        (b"a: 1\nb: {" + b"b: {" * 200 + b"}" * 201, "test.yaml:2 the file: is nested too deeply"),
        (b"a: @x\n", "test.yaml:1 the file: not valid YAML ("),
        (b'a: "\\ud800"\n', "test.yaml:1 the file: "),
        (b'a: "\\0"\n', "test.yaml:1 the file: holds an escaped character that is no text; remove it"),
        (
            b"a: !hunter2\n",
            "test.yaml:1 the file: a value starts with !, which makes it a tag; write it in quotes",
        ),
        (b"a: !!set {x}\n", "test.yaml:1 the file: has the tag"),
        (b"a: !!binary aGk=\n", "test.yaml:1 the file: has the tag"),
        (b"a: &a {<<: *a}\n", "test.yaml:1 the file: an alias contains itself"),
        (b"a: {<<: [b]}\n", "test.yaml:1 the file: `<<` merges something that is no mapping; name one"),
    ],
)
def test_a_file_that_is_no_stack_gets_one_sentence(stack_file, content, sentence, faults):
    [fault] = faults(stack_file(content))
    assert fault.startswith(sentence)
    assert "\n" not in fault


def test_a_merged_mapping_may_be_named_again(stack_file):
    text = """\
tenants:
  - &a {name: a, quota: {pods: 1}}
  - &b {<<: *a, name: b}
  - {<<: *b, name: c}
  - {<<: [*b, *a], name: d}
training_operator: {resources: &r {<<: {limits: {cpu: 2}}, requests: {cpu: 1}}}
"""
    stack = load(
        stack_file(
            text + "jobs: [{name: x, tenant: a, priority: p, image: 'i:1', worker: {resources: *r}}]\n"
        )
    )
    assert stack.faults == ()
    assert [(t.name, t.quota["pods"]) for t in stack.part.stack.tenants] == [(n, "1") for n in "abcd"]


def test_merges_of_merges_cannot_fill_the_memory(stack_file, faults):
    lines = ["a0: &a0 {x: 1, y: 2}"]
    lines += [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 10)}]}}" for i in range(1, 12)]
    [fault] = faults(stack_file("\n".join(lines)))
    assert "its aliases stand for too much data" in fault


def test_a_file_of_many_keys_is_read_at_once(stack_file):
    env = "\n".join(f"      K{i}: v" for i in range(20_000))
    job = "jobs:\n  - name: x\n    tenant: a\n    priority: p\n    image: i:1\n    worker: {}\n    env:\n"
    file = stack_file(job + env)
    start = time.process_time()
    assert len(load(file).part.stack.jobs[0].env) == 20_000
    assert time.process_time() - start < 4


@pytest.mark.parametrize("text", ["012", "1:30", "2026-01-01", "0x1F", "0b1", "1_000", ".inf", "9" * 5000])
def test_what_only_old_yaml_takes_for_a_number_is_text(stack_file, data, faults, text):
    job = data["jobs"][0]
    job["env"], job["worker"]["replicas"] = {"A": "VALUE"}, "VALUE"
    file = stack_file(yaml.safe_dump(data).replace("VALUE", text))
    [fault] = faults(file)
    assert "jobs[0].worker.replicas: " in fault
    assert "write a whole number in plain decimal digits, without quotes" in fault
    del job["worker"]["replicas"]
    file = stack_file(yaml.safe_dump(data).replace("VALUE", text))
    assert load(file).part.stack.jobs[0].env["A"] == text


def test_aliases_cannot_fill_the_memory(stack_file, faults):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    [fault] = faults(stack_file("\n".join(lines)))
    assert "its aliases stand for too much data" in fault


def test_aliases_of_several_documents_count_together():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 5)]
    text = "\n".join(lines)
    assert len(yaml_marks.parse_all(text)) == 1
    with pytest.raises(yaml_marks.YamlError, match="its aliases stand for too much data"):
        yaml_marks.parse_all("\n---\n".join([text, text]))


@pytest.mark.parametrize("text", ["a: [" + "1," * 1000 + "1]", "---\n[1, 2, 3]\n" * 300])
def test_a_file_of_too_many_values_is_refused(text, monkeypatch):
    yaml_marks.parse_all(text)
    monkeypatch.setattr(yaml_marks, "_MOST_NODES", 1000)
    with pytest.raises(yaml_marks.YamlError, match="holds more than 1000 values; split it"):
        yaml_marks.parse_all(text)


def test_a_key_that_yaml_takes_for_a_switch_is_refused(stack_file, faults):
    found = faults(stack_file("tenants:\n  - name: a\n    on: 1\n    ? [b]\n    : 2\n"))
    assert found == [
        "test.yaml:3 tenants[0]: on is not text; write the key in quotes",
        "test.yaml:4 tenants[0]: this key is not text; write the key in quotes",
    ]


def test_a_byte_order_mark_does_no_harm(stack_file):
    assert load(stack_file(b"\xef\xbb\xbftenants: []\n")).part.stack.tenants == ()


def test_a_missing_file_names_those_that_are_there(stack_file, data, faults):
    file = stack_file(data)
    [fault] = faults(file.with_name("prod.yaml"))
    assert fault == "test.yaml:1 the file: there is no such file; there are: test.yaml"


def test_a_folder_is_no_stack_file(tmp_path, faults):
    assert "is a folder" in faults(tmp_path)[0]


def test_a_link_to_itself_is_no_stack_file(tmp_path, faults):
    file = tmp_path / "test.yaml"
    file.symlink_to(file)
    [fault] = faults(file)
    assert "cannot be read (Too many levels of symbolic links); name another file" in fault
