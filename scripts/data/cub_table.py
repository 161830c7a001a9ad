#!/usr/bin/env python3
"""cub_table.py --train TRAIN.txt --test TEST.txt --classes NAMES.txt --images DIR --out TABLE.jsonl

Turns lists of CUB-200-2011's attributes into a table for `spml import jsonl --full-test`
(docs/datasets.md), where the data set's own 70 MB attribute file is not at hand; where it is,
`spml import cub` reads it.

TRAIN.txt  lines `001.Black_footed_Albatross/..._0009_34.jpg, 212`: one attribute that is present
TEST.txt   the same with every attribute that is present (SCPNet's cub_train.txt, cub_val.txt)
NAMES.txt  312 names, in order (SCPNet's cub_labels.txt)
DIR        CUB_200_2011/images; a photograph that is not there ends the command
"""

import argparse
import json
import pathlib
import sys


def read_rows(path, classes, images):
    for number, line in enumerate(open(path), 1):
        name, _, numbers = line.partition(",")
        name = name.strip()
        labels = [int(word) for word in numbers.split()]
        if not all(0 <= label < len(classes) for label in labels):
            sys.exit(f"{path}:{number}: expected numbers from 0 to {len(classes) - 1}, found {numbers.strip()}")
        if not (images / name).is_file():
            sys.exit(f"{path}:{number}: no photograph {images / name}")
        yield name, [classes[label] for label in labels]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--classes", required=True, type=pathlib.Path)
    parser.add_argument("--images", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()

    classes = options.classes.read_text().split("\n")
    classes = [name for name in (line.strip() for line in classes) if name]
    with open(options.out, "w") as out:
        for part, path in (("train", options.train), ("test", options.test)):
            rows = 0
            for name, labels in read_rows(path, classes, options.images):
                out.write(json.dumps({"image": name, "labels": labels, "split": part}) + "\n")
                rows += 1
            print(f"{options.out}: {rows} {part} rows")
    options.out.with_suffix(".classes.txt").write_text("\n".join(classes) + "\n")


if __name__ == "__main__":
    main()
