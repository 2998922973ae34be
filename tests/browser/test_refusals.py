"""What was refused killed nobody: the pages that speak of deaths say so."""

import models
import pytest


@pytest.mark.parametrize(("survived", "name"), [(2, "refusals"), (1, "deaths and refusals"), (0, "deaths")])
def test_refusals_are_no_deaths(wide, html_file, survived, name):
    known = models.everything()
    (dead,) = [each for each in known["executors"] if each["id"] == "3"]
    (death,) = [each for each in known["postMortems"] if each["executorId"] == "3"]
    deaths = [death | {"survived": number < survived, "pid": 100 + number} for number in range(2)]
    address = html_file(models.report([dead], [], postMortems=deaths))
    wide.open(address)
    assert wide.page.locator(".verdict").get_by_role("link").inner_text() == f"All 2 {name}"
    assert f"Containers: those of the {name}, then the fullest" in wide.text()
    wide.open(f"{address}#/executors/3")
    assert f"Red uprights: {name}." in wide.text()


@pytest.mark.parametrize(
    ("survived", "told"), [(3, "3 more refusals"), (1, "3 more deaths and refusals"), (0, "3 more deaths")]
)
def test_those_without_a_post_mortem_likewise(wide, html_file, survived, told):
    known = models.everything()
    others = [
        other | ({"survived": True} if number < survived else {})
        for number, other in enumerate(known["otherDeaths"][:3])
    ]
    model = models.report([], [], postMortems=known["postMortems"][:1], otherDeaths=others)
    wide.open(f"{html_file(model)}#/deaths")
    assert told in wide.page.get_by_label("Other deaths", exact=True).inner_text()
