"""scripts/data/*.py on small lists made here, and what `spml import jsonl` makes of their tables."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SCRIPTS = sys.argv[1], pathlib.Path(sys.argv[2])
# The smallest JPEG that a decoder takes for one; imports only look whether it is there.
JPEG = b"\xff\xd8\xff\xd9"


def run(script, *words):
    return subprocess.run([sys.executable, SCRIPTS / script, *map(str, words)], capture_output=True, text=True)


def import_table(folder, *words):
    done = subprocess.run([PROGRAM, "import", "jsonl", *map(str, words), "--out", folder / "data", "--json"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([PROGRAM, "stats", folder / "data", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


class Coco(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        (self.folder / "images").mkdir()
        draw = random.Random(1)
        order = list(range(80))
        draw.shuffle(order)  # column order[j] of the other list is label j
        self.train = {f"{i:012}": sorted(draw.sample(range(80), draw.randint(1, 5))) for i in range(400)}
        test = {f"{i:012}": sorted(draw.sample(range(80), 2)) for i in range(400, 450)}
        names = {**self.train, **test}
        for digits in list(names)[:-3]:  # the last three have no photograph
            (self.folder / "images" / f"{digits}.jpg").write_bytes(JPEG)
        with open(self.folder / "full.txt", "w") as out:
            for digits, labels in self.train.items():
                out.write(f"COCO_train2014_{digits}.jpg, {' '.join(map(str, labels))}\n")
        with open(self.folder / "single.txt", "w") as out:
            for digits, labels in self.train.items():
                out.write(f"COCO_train2014_{digits}.jpg,{labels[0]}\n")
        with open(self.folder / "columns.txt", "w") as out:
            for digits, labels in names.items():
                flags = ["0"] * 80
                for label in labels:
                    flags[order[label]] = "1"
                part = "train" if digits in self.train else "val"
                out.write(f"./data/coco/COCO_{part}2014_{digits}.jpg {' '.join(flags)}\n")
        self.test = test

    def tearDown(self):
        self.temporary.cleanup()

    def table(self):
        return run("coco_table.py", "--train", self.folder / "full.txt", "--single", self.folder / "single.txt",
                   "--hashnet", self.folder / "columns.txt", "--images", self.folder / "images",
                   "--out", self.folder / "coco.jsonl")

    def test_columns_are_matched_and_rows_without_a_photograph_left_out(self):
        done = self.table()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("columns matched on 400 training photographs", done.stdout)
        self.assertIn("47 test rows, 3 left out", done.stdout)
        classes = (self.folder / "coco.classes.txt").read_text().split()
        rows = [json.loads(line) for line in (self.folder / "coco.jsonl").read_text().splitlines()]
        test = {row["image"][:12]: row["labels"] for row in rows if row["split"] == "test"}
        self.assertEqual(len(test), 47)
        for digits, labels in test.items():
            self.assertEqual(labels, [classes[j] for j in self.test[digits]])
        stats = import_table(self.folder, self.folder / "coco.jsonl", "--full", "--images",
                             self.folder / "images", "--classes", self.folder / "coco.classes.txt")
        self.assertEqual(stats["train_file"]["rows"], 400)
        mean = sum(map(len, self.train.values())) / 400
        self.assertAlmostEqual(stats["train_file"]["positives_per_row"]["mean"], mean, places=5)

    def test_the_published_draw_has_one_label_a_row(self):
        self.assertEqual(self.table().returncode, 0)
        rows = [json.loads(line) for line in (self.folder / "coco.single.jsonl").read_text().splitlines()]
        self.assertTrue(all(len(row["labels"]) == 1 for row in rows if row["split"] == "train"))

    def test_lists_that_disagree_are_refused(self):
        text = (self.folder / "full.txt").read_text().splitlines()
        name, _, labels = text[0].partition(",")
        first = labels.split()[0]
        text[0] = f"{name}, {(int(first) + 1) % 80}"
        (self.folder / "full.txt").write_text("\n".join(text) + "\n")
        done = self.table()
        self.assertEqual(done.returncode, 1)
        self.assertIn("expected one label with the same", done.stderr)

    def test_another_name_is_refused_with_its_line(self):
        (self.folder / "full.txt").write_text("cat.jpg, 1\n")
        done = self.table()
        self.assertEqual(done.returncode, 1)
        self.assertIn("full.txt:1: expected a name such as", done.stderr)


class Cub(unittest.TestCase):
    def test_training_rows_are_observed_and_test_rows_full(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for k in range(6):
                image = folder / "images" / "001.Wren" / f"{k}.jpg"
                image.parent.mkdir(parents=True, exist_ok=True)
                image.write_bytes(JPEG)
            (folder / "names.txt").write_text("curved bill\nred wing\nlong tail")
            (folder / "train.txt").write_text("".join(f"001.Wren/{k}.jpg, {k % 3}\n" for k in range(4)))
            (folder / "test.txt").write_text("".join(f"001.Wren/{k}.jpg, 0 2\n" for k in (4, 5)))
            words = ["--test", folder / "test.txt", "--classes", folder / "names.txt",
                     "--images", folder / "images", "--out", folder / "cub.jsonl"]
            done = run("cub_table.py", "--train", folder / "train.txt", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            stats = import_table(folder, folder / "cub.jsonl", "--full-test", "--images", folder / "images",
                                 "--classes", folder / "cub.classes.txt")
            self.assertEqual(stats["train_file"]["observed_per_row"]["mean"], 1)
            self.assertEqual(stats["test_file"]["positives_per_row"]["mean"], 2)
            (folder / "train.txt").write_text("001.Wren/0.jpg, 3\n")
            done = run("cub_table.py", "--train", folder / "train.txt", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn("train.txt:1: expected numbers from 0 to 2, found 3", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
