"""The rules as a policy pack: each is a policy of its own, mandatory unless the config says otherwise."""

from collections.abc import Mapping
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    PolicyPack,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from policy.objects import KubernetesObject, declared
from policy.rules import OBJECT_RULES, STACK_RULES, ObjectRule, Settings, StackRule

NAME = "colocation"


def serve() -> None:
    """Answer the engine's questions until it ends this process."""
    PolicyPack(NAME, policies(), enforcement_level=EnforcementLevel.MANDATORY)


def policies() -> list[Policy]:
    """One policy a rule."""
    return [*map(_of_each_object, OBJECT_RULES), *map(_of_the_stack, STACK_RULES)]


def _of_each_object(rule: ObjectRule) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        sent = declared(args.resource_type, args.props, urn=args.urn, protected=args.opts.protect)
        if sent is not None:
            for message in rule.broken(sent, _settings(rule, args.get_config())):
                report(message, None)

    return ResourceValidationPolicy(rule.name, rule.description, validate, config_schema=_schema(rule))


def _of_the_stack(rule: StackRule) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        found = [sent for resource in args.resources if (sent := _from(resource)) is not None]
        for breach in rule.broken(found, _settings(rule, args.get_config())):
            report(breach.message, breach.urn)

    return StackValidationPolicy(rule.name, rule.description, validate, config_schema=_schema(rule))


def _from(resource: PolicyResource) -> KubernetesObject | None:
    return declared(
        resource.resource_type,
        resource.props,
        urn=resource.urn,
        protected=resource.opts.protect,
        depends_on=frozenset(other.urn for other in resource.dependencies),
    )


def _settings(rule: ObjectRule | StackRule, given: Mapping[str, Any]) -> Settings:
    return {**{name: setting["default"] for name, setting in rule.settings.items()}, **given}


def _schema(rule: ObjectRule | StackRule) -> PolicyConfigSchema | None:
    return PolicyConfigSchema({k: dict(v) for k, v in rule.settings.items()}) if rule.settings else None
