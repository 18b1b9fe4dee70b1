"""Methods and services in a spec: by name, by address, with settings; stored and read back."""

import json
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from accuracy_assay.domain.events import AssayOpened
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError
from accuracy_assay.registry import build_service
from accuracy_assay.services.column import ColumnService
from accuracy_assay.spec.edit import edited_spec
from accuracy_assay.spec.model import LabelSection, Spec
from accuracy_assay.spec.read import read_spec
from accuracy_assay.storage.sqlite import open_sqlite

METHODS = ("estimator", "strategy", "calibration")
FILE = """
[assay]
estimator = { name = "anova-gp", level = 0.95 }
strategy = { name = "variance-reduction", goal = "mix", mix = { 3 = 1.0 } }
calibration = { name = "my_package:Mine", widths = [16, 64] }

[[attribute]]
name = "sex"

[[service]]
name = "theirs"
kind = "my_package:Client"
settings = { model = "small", region = { zone = 2 } }
"""


def given(service: dict[str, Any] | None = None, **assay: Any) -> Spec:
    column = {"name": "s", "column": "p"}
    parts = {"assay": assay, "attribute": [{"name": "sex"}]}
    return read_spec({**parts, "service": [service or column]})


def test_tables_of_settings_are_read_and_their_names_are_known() -> None:
    assay = read_spec(tomllib.loads(FILE)).assay
    assert assay.estimator == {"name": "anova-gp", "level": 0.95}
    assert assay.strategy == {"name": "variance-reduction", "goal": "mix", "mix": {"3": 1.0}}
    assert assay.strategy_name == "variance-reduction"
    assert assay.calibration == {"name": "my_package:Mine", "widths": [16, 64]}


def test_a_name_stays_a_name_and_so_does_a_table_of_nothing_else() -> None:
    assert given(strategy="random").assay.strategy == "random"
    assert given(strategy={"name": "random"}).assay.strategy == "random"
    assert given(strategy="my_package:Mine").assay.strategy_name == "my_package:Mine"


def test_a_stored_spec_reads_back_equal(tmp_path: Any) -> None:
    spec = read_spec(tomllib.loads(FILE))
    python = given(estimator={"name": "x", "widths": (1, 2), "mix": {3: 0.5}, "on": True})
    store = open_sqlite(str(tmp_path / "a.assay"), is_new=True)
    for name, each in (("file", spec), ("python", python)):
        store.create(name, [AssayOpened(each.model_dump(mode="json"), 1, "abc")])
        opened = store.read(name)[0].event
        assert isinstance(opened, AssayOpened)
        assert read_spec(opened.spec) == each
        assert read_spec(json.loads(json.dumps(opened.spec))) == each
    store.close()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("wrong", ["", 3, None, ["anova-gp"], {}, {"level": 0.9}, {"name": 3}])
def test_a_method_without_a_name_is_refused(method: str, wrong: object) -> None:
    with pytest.raises(InputError, match=rf"{method} must be a name, module:Class or a table"):
        given(**{method: wrong})


@pytest.mark.parametrize("value", [date(2024, 1, 1), float("inf"), {"deep": [object()]}])
def test_a_setting_that_no_file_can_hold_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="setting 'x' of estimator 'mine' must be what JSON can"):
        given(estimator={"name": "mine", "x": value})


def test_a_service_of_ours_is_made_from_its_section() -> None:
    kind, settings = given().service[0].made_from()
    assert kind == "column"
    assert build_service(kind, settings) == ColumnService("p")


def test_a_service_of_another_package_is_made_from_its_own_settings() -> None:
    section = read_spec(tomllib.loads(FILE)).service[0]
    own = {"model": "small", "region": {"zone": 2}}
    assert section.made_from() == ("my_package:Client", {"name": "theirs", **own})


@pytest.mark.parametrize(
    ("service", "message"),
    [
        ({"name": "s", "kind": "m:C", "column": "p"}, r"exactly one .*got \['column', 'kind'\]"),
        ({"name": "s", "column": "p", "settings": {"a": 1}}, r"must go with a kind; got \['a'\]"),
        ({"name": "s", "kind": "m:C", "settings": {"token": "abc123"}}, "written out"),
        ({"name": "s", "kind": "m:C", "settings": {"a": date(2024, 1, 1)}}, "is not shown"),
    ],
)
def test_a_service_that_cannot_be_is_refused(service: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as told:
        given(service)
    assert "abc123" not in str(told.value)


HTTP: dict[str, Any] = {
    "name": "s",
    "url": "http://localhost/p",
    "request": {"q": "{text}"},
    "response": {"prediction": "label"},
}
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("budget", v) for v in (2.5, -1, 10**10, 1e300, INF, NAN, True, "many", None)],
        *[("batch", v) for v in (0, 2.5, 10**10, True)],
        *[("seed", v) for v in (-1, 0.5, 2**63, True)],
        *[("refit_every", v) for v in (0, 1.5, True)],
        *[("lease_minutes", v) for v in (0, -1, INF, NAN, 1e300, True)],
    ],
)
def test_a_size_that_no_session_can_have_is_refused_with_its_value(key: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"'{key}' of \[assay\] in spec must .*; got "):
        given(**{key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("price", v) for v in (INF, -INF, NAN, -0.1, 1e300, True)],
        *[("requests_per_second", v) for v in (0, 1e-300, 1e-6, INF, NAN, -1)],
        *[("timeout_s", v) for v in (0, INF, NAN, 1e300)],
        *[("deadline_s", v) for v in (0, INF, NAN, 1e300)],
        *[("max_answer_mb", v) for v in (0, -1, INF, NAN, 1e6)],
        *[("retries", v) for v in (-1, 1.5, 10**6)],
        *[("concurrency", v) for v in (0, 257, 2.5, True)],
        *[("batch_rows", v) for v in (0, 2.5, 10**30)],
    ],
)
def test_a_limit_of_a_service_that_cannot_be_kept_is_refused(key: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"'{key}' of \[\[service\]\] number 1 .* must .*; got "):
        given({**HTTP, key: value})


@pytest.mark.parametrize("value", [INF, NAN])
def test_a_number_that_json_cannot_write_is_refused_in_a_request(value: float) -> None:
    with pytest.raises(InputError, match=r"'temperature' of .* must be a finite number"):
        given({**HTTP, "request": {"q": "{text}", "deep": [{"temperature": value}]}})


def test_a_name_that_no_database_takes_is_refused() -> None:
    with pytest.raises(InputError, match=r"name of \[assay\] must have no character zero"):
        given(name="a\x00b")


@pytest.mark.parametrize(
    "sections",
    [{"name": "\ud800"}, {"estimator": "\ud800"}, {"estimator": {"name": "m:C", "a": "\ud800"}}],
)
def test_half_a_character_is_refused(sections: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a valid string"):
        given(**sections)


@pytest.mark.parametrize(
    "url",
    [
        "http://{host}/x",
        "http://host:{port}/x",
        "{scheme}://host/x",
        "http://{user}@host/x",
        "http:/host/x",
        "host/x",
    ],
)
def test_an_address_whose_host_a_row_would_name_is_refused_with_the_service(url: str) -> None:
    with pytest.raises(InputError, match="url of service 's' must"):
        given({**HTTP, "url": url})


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"Host": "{host}"}, "header 'Host' of service 's' must name a host itself"),
        ({"X-Id": "a\r\nX-Evil: 1"}, "header 'X-Id' .* must be one line"),
        ({"X Id": "a"}, "header of service 's' must have a name such as X-Id; got 'X Id'"),
        ({"X\nEvil": "a"}, "must have a name such as X-Id"),
    ],
)
def test_a_header_that_http_does_not_know_is_refused(
    headers: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        given({**HTTP, "headers": headers})


def test_the_columns_that_are_sent_are_known() -> None:
    service = {
        **HTTP,
        "url": "http://localhost/{id}?lang={lang}",
        "request": {"deep": [{"q": "{text} of {lang}"}], "key": "${KEY}"},
        "headers": {"X-Row": "{row}"},
    }
    assert given(service).service[0].row_columns == ("id", "lang", "row", "text")
    assert given().service[0].row_columns == ()


def test_endless_tables_are_refused() -> None:
    endless: dict[str, Any] = {"name": "mine"}
    endless["more"] = endless
    with pytest.raises(InputError):
        given(estimator=endless)
    with pytest.raises(InputError):
        given({**HTTP, "request": endless})


@pytest.mark.parametrize(
    ("cluster", "what"),
    [
        ("sex", "an attribute"),
        ("google", "a column of service 'g'"),
        ("sure", "a column of service 'g'"),
        ("says", "a column of service 'g'"),
        ("label", "the column of the label"),
    ],
)
def test_a_cluster_is_a_column_of_its_own(cluster: str, what: str) -> None:
    service = {"name": "g", "column": "google", "confidence": "sure", "signals": ["says"]}
    spec = {"attribute": [{"name": "sex"}], "service": [service]}
    assert read_spec(spec | {"pool": {"cluster": "speaker"}}).pool.cluster == "speaker"
    assert read_spec(spec).pool.cluster is None
    with pytest.raises(InputError, match=f"got '{cluster}', which is {what}"):
        read_spec(spec | {"pool": {"cluster": cluster}})


def test_an_attribute_cannot_be_a_cluster() -> None:
    attribute = {"name": "speaker", "kind": "cluster"}
    with pytest.raises(InputError, match=r"got 'cluster'.*\[pool\], such as cluster = 'speaker'"):
        read_spec({"attribute": [attribute], "service": [{"name": "g", "column": "google"}]})


def with_referees(assay: Any = None, own: Any = None, **more: Any) -> Spec:
    services: list[dict[str, Any]] = [{"name": name, "column": name} for name in "abc"]
    services[0] |= {} if own is None else {"referees": own}
    parts = {"assay": {} if assay is None else {"referees": assay}, "service": services}
    return read_spec({"attribute": [{"name": "sex"}], **parts, **more})


def test_every_other_service_is_a_referee_unless_some_are_named() -> None:
    def names(spec: Spec, service: str = "a") -> list[str]:
        return [s.name for s in spec.referees_of(spec.find_service(service))]

    assert names(with_referees()) == ["b", "c"]
    assert names(with_referees([])) == []
    assert names(with_referees(["a", "b"])) == ["b"]
    assert names(with_referees(["a", "b"]), "c") == ["a", "b"]
    assert names(with_referees([], ["c"])) == ["c"]
    assert names(with_referees([], ["c"]), "b") == []
    assert names(with_referees(label={"agreement": "mine:score"})) == []
    guessed = [{"name": "sex", "evidence": "p_sex__*"}]
    assert names(with_referees(attribute=guessed)) == []
    assert names(with_referees(["b"], attribute=guessed)) == ["b"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"assay": ["d"]}, r"referees of \[assay\] must be of \['a', 'b', 'c'\]; got 'd'"),
        ({"own": ["d"]}, "referees of service 'a' must be of .*; got 'd'"),
        ({"own": ["a"]}, "referees of service 'a' must be other services; got its own name"),
    ],
)
def test_a_referee_that_cannot_be_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_referees(**keys)


def with_judges(*judges: dict[str, Any], n_services: int = 2, **more: Any) -> Spec:
    services = [{"name": n, "column": f"{n}_pred"} for n in "ab"[:n_services]]
    parts = {"attribute": [{"name": "sex"}], "service": services, "judge": list(judges)}
    return read_spec({**parts, **more})


CALLED_JUDGE = {"name": "llm", "callable": "mine:judge"}


def test_a_judge_judges_all_services_unless_it_names_some() -> None:
    def names(spec: Spec, service: str = "a") -> list[str]:
        return [j.name for j in spec.judges_of(spec.find_service(service))]

    assert names(with_judges(CALLED_JUDGE)) == ["llm of a"]
    assert names(with_judges(CALLED_JUDGE), "b") == ["llm of b"]
    assert names(with_judges({**CALLED_JUDGE, "services": ["a"]}), "b") == []
    assert names(with_judges({**CALLED_JUDGE, "services": []})) == []
    assert names(with_judges({"name": "j", "column": "x"}, n_services=1)) == ["j of a"]
    guessed = {"attribute": [{"name": "sex", "evidence": "p_sex__*"}]}
    assert names(with_judges(CALLED_JUDGE, **guessed)) == []
    assert names(with_judges({**CALLED_JUDGE, "services": ["a"]}, **guessed)) == ["llm of a"]
    assert with_judges(CALLED_JUDGE).find_judge().name == "llm"
    with pytest.raises(InputError, match="judge must be named unless there is just one"):
        with_judges().find_judge()


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ({"services": ["c"]}, r"services of judge 'j' must be of \['a', 'b'\]; got 'c'"),
        ({}, "judge 'j' must say whose answers its column is about"),
        ({"services": ["a", "b"]}, "got 2 services. Write one"),
        ({"column": "a_pred", "services": ["a"]}, "which is the column of service 'a'"),
        ({"column": "sex", "services": ["a"]}, "which is an attribute"),
        ({"column": "label", "services": ["a"]}, "which is the column of the label"),
    ],
)
def test_a_judge_that_cannot_be_is_refused(judge: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_judges({"name": "j", "column": "x", **judge})


def test_a_judge_has_a_name_that_no_service_has() -> None:
    with pytest.raises(InputError, match="judges must have different names"):
        with_judges(CALLED_JUDGE, CALLED_JUDGE)
    services = [{"name": n, "column": "p"} for n in ("a", "llm of a")]
    with pytest.raises(InputError, match="must differ from services'; got 'llm of a' twice"):
        with_judges(CALLED_JUDGE, service=services)


def test_a_judge_is_no_cluster() -> None:
    judge = {"name": "j", "column": "x", "services": ["a"]}
    with pytest.raises(InputError, match="which is the column of judge 'j'"):
        with_judges(judge, pool={"cluster": "x"})


def text_spec(**keys: Any) -> Spec:
    attribute = {"name": "a", "from_text": "said", **keys}
    service = {"name": "own", "column": "pred"}
    return read_spec({"attribute": [attribute], "service": [service]})


def test_a_text_attribute_is_a_column_and_a_feature() -> None:
    (section,) = text_spec(feature="length", edges=[8, 12]).attribute
    assert section.text == TextAttribute("said", "length", "a", edges=(8, 12))
    assert section.evidence is None


def test_a_guessed_feature_has_evidence_without_a_word() -> None:
    spec = text_spec(feature="topic", topics=3)
    assert spec.attribute[0].evidence == "p_a__*"
    again = read_spec(spec.model_dump(mode="json"))
    assert again == spec
    tagged = text_spec(feature="my_tags:mood", values=["good", "bad"])
    assert tagged.attribute[0].evidence == "p_a__*"
    assert tagged.attribute[0].text == TextAttribute(
        "said", "my_tags:mood", "a", values=("good", "bad")
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "attribute 'a' must have both from_text.*got no feature"),
        ({"feature": "lenght"}, r"got 'lenght'\. Did you mean 'length'"),
        ({"feature": "length", "edges": [8.5]}, "increasing whole numbers of at least 1"),
        ({"feature": "length", "topics": 3}, "must be for topic and main-topic"),
        ({"feature": "length", "kind": "ordinal"}, "must leave out kind"),
        ({"feature": "length", "from_label": True}, "must leave out kind, evidence"),
        ({"feature": "length", "evidence": "p_a__*"}, "must leave out kind, evidence"),
        ({"feature": "topic", "evidence": "q_*"}, "must leave out kind, evidence"),
        ({"feature": "topic", "topics": 1}, "whole number from 2"),
        ({"feature": "length", "values": ["a"]}, "must be for a tagger"),
        ({"from_text": None, "feature": "length"}, "got no from_text"),
        ({"from_text": None, "topics": 3}, "must go with from_text; got 3"),
    ],
)
def test_a_text_attribute_that_cannot_be_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        text_spec(**keys)


def test_shown_columns_come_in_order_with_their_kinds() -> None:
    label = LabelSection(show={"image": ("front", "back"), "text": "caption"})
    assert label.shown == (("image", "front"), ("image", "back"), ("text", "caption"))
    assert LabelSection().shown == ()


def test_a_spec_says_what_the_columns_of_the_pool_mean() -> None:
    spec = read_spec(
        {
            "pool": {"cluster": "speaker"},
            "attribute": [{"name": "sex"}, {"name": "age", "evidence": "p_age__*"}],
            "service": [{"name": "s", "column": "said", "confidence": "sure"}],
            "judge": [{"name": "j", "column": "verdict", "services": ["s"]}],
            "label": {"choices": ["a", "b"], "column": "truth"},
        }
    )
    columns = spec.columns_of(spec.service[0])
    assert (columns.names, columns.evidence) == (("sex", "age"), {"age": "p_age__*"})
    assert (columns.y_true, columns.y_pred, columns.cluster) == ("truth", "said", "speaker")
    assert (columns.signals, columns.judges, columns.id) == (("sure",), ("verdict",), "id")


def test_a_spec_without_a_goal_is_for_the_surface_and_a_strategy_may_have_its_own() -> None:
    assert given().assay.goal is None
    assert given().assay.chosen_for == "surface"
    assert "all combinations of attributes" in given().assay.choosing
    assert given(goal="worst").assay.chosen_for == "worst"
    own = given(strategy={"name": "variance-reduction", "goal": "overall"})
    assert own.assay.chosen_for == "overall"
    assert given(strategy="random").assay.choosing == "at random"


def test_an_empty_mix_is_none_so_that_an_edit_can_leave_it_out() -> None:
    mixed = given(goal="mix", mix="m.csv")
    assert edited_spec(mixed, {"assay": {"goal": "worst", "mix": ""}}).assay.mix is None


def test_a_goal_and_the_path_of_its_mix_are_stored_and_read_back(tmp_path: Path) -> None:
    text = '[assay]\ngoal = "mix"\nmix = "mix.csv"\n[[attribute]]\nname = "sex"\n'
    path = tmp_path / "assay.toml"
    path.write_text(text + '[[service]]\nname = "s"\ncolumn = "p"\n')
    spec = read_spec(path)
    assert spec.assay.mix == str(tmp_path / "mix.csv")
    assert read_spec(json.loads(spec.model_dump_json())) == spec


@pytest.mark.parametrize(
    ("assay", "message"),
    [
        ({"goal": "best"}, "goal"),
        ({"goal": "mix"}, "must go together .*no mix"),
        ({"mix": "m.csv"}, "must go together .*goal = 'surface' and mix = 'm.csv'"),
        ({"goal": "compare"}, "two services or more; got only 's'"),
        (
            {"goal": "worst", "strategy": {"name": "variance-reduction", "goal": "mix"}},
            "given once .*'worst' and the strategy's 'mix'",
        ),
        ({"goal": "mix", "mix": "https://a:secret@b/m.csv"}, "path of a file; got an address"),
    ],
)
def test_a_goal_that_cannot_be_followed_is_refused(assay: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        given(**assay)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"answer": "one"}, "must have choices"),
        ({"answer": "several"}, "must have choices"),
        ({"answer": "number", "choices": ["1"]}, "takes no choices"),
        ({"choices": ["a"], "choices_from": ["b"]}, "must not both be given"),
        ({"answer": "passages"}, "must have a text to show"),
        ({"answer": "several", "choices": ["a|b"]}, "divides them"),
    ],
)
def test_a_kind_of_answer_that_nobody_can_give_is_refused(
    keys: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        LabelSection(**keys)


def test_choices_make_an_answer_one_of_them_and_without_any_it_is_a_text() -> None:
    assert LabelSection().kind == "text"
    assert LabelSection(choices=("a", "b")).kind == "one"
    assert LabelSection.model_validate({"choices_from": "options"}).choices_from == ("options",)
