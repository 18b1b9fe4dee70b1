"""What fits and chooses behind a page does what the session's own calls do."""

from accuracy_assay.web.fitter import LocalFitter, fit_service


def test_it_picks_and_fits_as_the_session_does(served) -> None:
    fitter = LocalFitter(served.assay)
    assert fitter.surface("reader") is None
    first = fitter.pick(4, ())
    assert len(first) == 4
    others = fitter.pick(60, [pick.instance for pick in first])
    assert len(others) == 56
    served.assay.tell(["x1", "x2"], ["cat", "dog"], "ann")
    fitter.fit("reader", is_exact=True)
    assert fitter.surface("reader").n_labels == 2.0
    served.assay.tell(["x3"], ["cat"], "ann")
    fitter.fit("reader", is_exact=False)
    assert fitter.surface("reader").n_labels == 3.0
    fitter.close()


def test_a_service_without_predictions_is_left_out(make_served) -> None:
    services = [{"name": "reader", "column": "guess"}, {"name": "later", "callable": "json:dumps"}]
    assay = make_served(service=services).assay
    assay.tell(["x1"], ["cat"], "ann")
    assert fit_service(assay, "reader", is_exact=True).n_labels == 1.0
    assert fit_service(assay, "later", is_exact=False) is None or (
        fit_service(assay, "later", is_exact=False).n_labels == 0.0
    )
    assert fit_service(assay, "later", is_exact=True) is None
