"""A quick demonstration from end to end: demo_test.py PROGRAM FOLDER, where report.html and report.json are left for the
test of the page."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1)
FOLDER = Path(sys.argv.pop(1))
WORKLOADS = ["sum", "loop", "nested", "graph", "transfers", "contracts", "recurring", "idle", "matrix"]


class Demonstration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        FOLDER.mkdir(parents=True, exist_ok=True)
        cls.done = subprocess.run(
            [PROGRAM, "demo", "--quick", "--page", FOLDER / "report.html", "--json", FOLDER / "report.json"],
            capture_output=True, text=True)
        cls.report = json.loads((FOLDER / "report.json").read_text())

    def act(self, name: str) -> dict:
        workload, act = name.split("/")
        acts = next(each for each in self.report["workloads"] if each["name"] == workload)["acts"]
        return next(each for each in acts if each["name"] == act)

    def test_everything_of_ours_held(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertEqual(self.report["broken"], [])
        self.assertEqual([each["name"] for each in self.report["workloads"]], WORKLOADS)
        for workload in self.report["workloads"]:
            for act in workload["acts"]:
                if act["by"] == "weft":
                    self.assertEqual(act["ending"], "completed")
                    self.assertTrue(all(each["holds"] for each in act["checks"]))

    def test_a_deadlock_is_shown_and_not_suffered(self):
        act = self.act("nested/Asio pool")
        if act["ending"] != "left out":
            self.assertEqual(act["ending"], "stalled", act)
            self.assertIn("asleep", act["reason"])
            self.assertEqual(act["result"], "hangs: " + act["reason"])
        # Locks in the wrong order are a matter of luck.
        self.assertIn(self.act("transfers/mutexes, as named")["ending"], ("stalled", "completed"))

    def test_a_thread_for_each_task_is_shown(self):
        act = self.act("sum/std::async")
        self.assertTrue(act["ending"] in ("failed", "too many threads") or act["threads"] > 50, act)
        self.assertLessEqual(self.act("sum/weft")["threads"], self.report["threads"] + 1)

    def test_those_who_do_well_are_right(self):
        for workload in self.report["workloads"]:
            for act in workload["acts"]:
                if act["by"] == "good" and act["ending"] != "left out":
                    self.assertEqual((act["ending"], act["right"]), ("completed", True), act)

    def test_ratios_are_those_of_the_figures(self):
        for workload in self.report["workloads"]:
            def value(act):
                return next((each["value"] for each in act["figures"] if each["name"] == workload["figure"]), None)

            ours = value(workload["acts"][-1])
            for act in workload["acts"][:-1]:
                if act["ratio"] is not None:
                    better = ours / value(act) if workload["more_is_better"] else value(act) / ours
                    self.assertAlmostEqual(act["ratio"], better)

    def test_a_thread_is_in_one_element_at_a_time(self):
        loop = next(each for each in self.report["workloads"] if each["name"] == "loop")
        for act in (each for each in loop["acts"] if each["ending"] == "completed"):
            self.assertGreater(sum(len(curve["points"]) for curve in act["curves"]), 0, act)
            for curve in act["curves"]:
                times = [time for interval in curve["points"] for time in interval]
                self.assertEqual(times, sorted(times), act["name"])
            busy = next(each["value"] for each in act["figures"] if each["name"] == "busy")
            self.assertTrue(0 < busy <= 100, act)

    def test_the_table_and_the_report_say_the_same(self):
        paragraphs = [each.splitlines() for each in self.done.stdout.split("\n\n")]
        for workload in self.report["workloads"]:
            rows = next(each for each in paragraphs if workload["title"] in each)
            for act in workload["acts"]:
                row = next(each for each in rows if each[2:].startswith(f"{act['name']} "))
                self.assertIn(act["result"], row)
                self.assertIn(act["ratio_text"], row)
        self.assertEqual(self.done.stderr, "", "no progress is shown where no terminal is")

    def test_one_workload_alone(self):
        file = FOLDER / "one.json"
        done = subprocess.run([PROGRAM, "demo", "idle", "--quick", "--threads", "1", "--page", FOLDER / "one.html",
                               "--json", file], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        report = json.loads(file.read_text())
        self.assertEqual(([each["name"] for each in report["workloads"]], report["threads"]), (["idle"], 1))


if __name__ == "__main__":
    unittest.main()
