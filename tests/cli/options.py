#!/usr/bin/env python3
"""Every option on the command line, and sweeps of them."""
import json

from support import BenchTest, main, weft


class Options(BenchTest):
    def test_options(self):
        """Every row of the table is an option of the command line, printed by plans, and a member of JSON."""
        rows = json.loads(self.fine(weft("list", "options", "--json")).out)
        self.assertEqual(json.loads(self.fine(weft("list", "--json")).out)["options"], rows)
        text, table = self.fine(weft("list", "options")).out, self.fine(weft("list", "options", "--markdown")).out
        usage = self.fine(weft("plan", "--help")).out
        given = {
            "strategy": "isend", "effort": "measure", "communicate": "thread", "nodes": "0", "grid": "1", "groups": "2"
        }
        for row in rows:
            name, flag = row["name"], "--" + row["name"].replace("_", "-")
            self.assertIn(row["help"], text)
            self.assertIn(f"| `{name}` | {row['type']} | {row['changes']} |", table)
            if row["type"] == "layout":
                continue
            if row["type"] == "boolean":
                words = ["--no" + flag[1:] if row["default"] else flag]
                value = "false" if row["default"] else "true"
            else:
                others = [word for word in row["words"] if word not in (row["default"], "auto", "default")]
                value = given.get(name) or (others[-1] if row["type"] == "text" else "3")
                words = [flag, value]
            more = {"communicate": ["--threads", "2"], "groups": ["--sphere", "2", "--batch", "2"]}.get(name, [])
            with self.subTest(name=name):
                self.assertIn(words[0], usage)
                effort = [] if name == "effort" else ["--effort", "estimate"]
                ranks = 2 if name == "groups" else 0
                out = self.fine(weft("plan", "--shape", "8x6x5", *words, *more, *effort, ranks=ranks)).out
                asked = next((line for line in out.splitlines() if line.startswith("asked for: ")), "")
                if value != row["default"] and value != str(row["default"]):
                    self.assertIn(f" {name} {value}", asked)
        out = self.fine(weft("plan", "--shape", "8x6x5", "--seconds", "3", "--effort", "estimate")).out
        self.assertIn(" tune_seconds 3", next(line for line in out.splitlines() if line.startswith("asked for: ")))
        _, benched = self.bench("--strategy", "isend", "--shape", "8x6x4", "--test", "4", "--in-place")
        for what in "requested", "effective":
            self.assertEqual(list(benched[0][what]), [row["name"] for row in rows])
        names = "tiles", "test", "placement", "threads", "wisdom", "grid"
        self.assertEqual([benched[0]["requested"][name] for name in names],
                         ["auto", 4, "in_place", 1, True, "default"])
        self.assertEqual(benched[0]["effective"]["tiles"], "one")

    def test_sweep_of_any_option_of_speed(self):
        result, rows = self.bench("--strategy", "isend", "--shape", "8x6x4", "--sweep", "threads=1,2", "--sweep",
                                  "effort=estimate")
        self.assertEqual([row["requested"]["threads"] for row in rows], [1, 2])
        self.assertIn("threads 2", result.out)
        self.assertIn("changes only speed",
                      self.fails(weft("bench", "--sweep", "batch=1,2", ranks=2), 2, "weft: ").err)

    def test_sweep(self):
        result, rows = self.bench("--strategy", "isend,direct", "--shape", "8x8x8", "--sweep", "tiles=one,gathered",
                                  "--sweep", "tile=1,2", "--sweep", "window=1,0", "--sweep",
                                  "communicate=caller,thread")
        self.assertEqual(len(rows), 2 * (1 + 2 * 2) * 2, result)  # one tile has no size and no window
        self.assertEqual(len({json.dumps(row["requested"]) for row in rows}), len(rows))
        self.assertEqual({row["requested"]["threads"]
                          for row in rows if row["requested"]["communicate"] == "thread"}, {2})
        self.assertIn("isend: gathered axis, 2 planes a tile, all on their way, exchanges on a thread", result.out)
        for words in ["tile"], ["tile=1x"], ["tile="], ["colour=blue"]:
            self.assertIn("--sweep", self.fails(weft("bench", "--sweep", *words, ranks=2), 2, "weft: ").err)


if __name__ == "__main__":
    main()
