#!/usr/bin/env python3
"""The list of what packages hold, tools/packaging/contents.py."""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools" / "packaging"))
import contents  # noqa: E402


class Contents(unittest.TestCase):
    """Works of others that are inside."""

    def test_each_has_its_notice_in_the_packages(self):
        notices = (TOP / "tools/packaging/licences.txt").read_text(encoding="utf-8")
        for name, _, licence, _ in contents.LINKED_IN:
            self.assertRegex(notices, f"(?m)^  {re.escape(name)}[, ]", licence)

    def test_the_page_has_the_notices_of_what_it_holds_besides(self):
        notices = (TOP / "tools/web/page/licences.txt").read_text(encoding="utf-8")
        for name, _, _, _ in contents.IN_PAGE:
            for work in re.split(" with |, | and ", name):
                self.assertIn(work, notices)

    def test_what_is_bundled_in_pages_is_listed(self):
        package = json.loads((TOP / "tools/web/report/package.json").read_text(encoding="utf-8"))
        listed = {package for _, package, _, _ in contents.LINKED_IN}
        self.assertLessEqual(set(package["dependencies"]), listed)

    def test_every_package_contains_every_work(self):
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        os.environ.pop("VRAMLAB_PAGE", None)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "vramlab.deb"
            path.write_bytes(b"a package")
            found = contents.document("amd64", "1.2", [path])
        self.assertEqual([one["name"] for one in found["packages"]],
                         ["vramlab.deb", *[work[0] for work in contents.LINKED_IN]])
        self.assertEqual(found["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        identities = {one["SPDXID"] for one in found["packages"]}
        contained = {one["relatedSpdxElement"] for one in found["relationships"]
                     if one["relationshipType"] == "CONTAINS"}
        self.assertEqual(contained, identities - {"SPDXRef-vramlab-deb"})
        for one in found["packages"]:
            self.assertTrue(one["versionInfo"])


if __name__ == "__main__":
    unittest.main()
