#!/usr/bin/env python3
"""coco_table.py --train FULL.txt --hashnet FILE... --images DIR --out TABLE.jsonl [--single SINGLE.txt]

Turns the label lists of COCO 2014 that can be had without COCO's own annotations into a table for
`spml import jsonl` (docs/datasets.md).

FULL.txt    lines `COCO_train2014_<12 digits>.jpg, 0 52`: every label of the training photographs
            (robust-loss-mlml's coco_train_full.txt)
HASHNET     lines `.../COCO_{train,val}2014_<12 digits>.jpg 0 1 0 ...` (HashNet's caffe/data/coco:
            train.txt, test/database*.txt, test/test*.txt). They know the validation photographs, but
            their columns are in another order, which the training photographs of both lists give away.
SINGLE.txt  as FULL.txt, one label each: the single-positive draw that was published with it; written as
            TABLE.single.jsonl, for training on observed labels with a fully labelled test part
DIR         photographs named `<12 digits>.jpg`; rows without one are left out and counted

Writes TABLE.jsonl (training rows, then test rows, in order of the lists) and TABLE.classes.txt.
"""

import argparse
import json
import pathlib
import re
import sys

CLASSES = """person bicycle car motorcycle airplane bus train truck boat traffic_light fire_hydrant
stop_sign parking_meter bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella
handbag tie suitcase frisbee skis snowboard sports_ball kite baseball_bat baseball_glove skateboard
surfboard tennis_racket bottle wine_glass cup fork knife spoon bowl banana apple sandwich orange broccoli
carrot hot_dog pizza donut cake chair couch potted_plant bed dining_table toilet tv laptop mouse remote
keyboard cell_phone microwave oven toaster sink refrigerator book clock vase scissors teddy_bear
hair_drier toothbrush""".split()
NAME = re.compile(r"COCO_(train|val)2014_(\d{12})\.jpg$")


def parse_name(text, where):
    match = NAME.search(text)
    if not match:
        sys.exit(f"{where}: expected a name such as COCO_val2014_000000000042.jpg, found {text[:80]!r}")
    return match[1], match[2]


def read_lists(path):
    """{digits: labels}, in the file's order."""
    rows = {}
    for number, line in enumerate(open(path), 1):
        name, _, labels = line.partition(",")
        part, digits = parse_name(name.strip(), f"{path}:{number}")
        labels = [int(word) for word in labels.split()]
        if part != "train" or not all(0 <= label < len(CLASSES) for label in labels):
            sys.exit(f"{path}:{number}: expected a training photograph with labels below {len(CLASSES)}")
        rows[digits] = labels
    return rows


def read_columns(paths):
    """({digits: columns} of training photographs, the same of validation photographs)"""
    parts = {"train": {}, "val": {}}
    for path in paths:
        for number, line in enumerate(open(path), 1):
            name, *flags = line.split()
            part, digits = parse_name(name, f"{path}:{number}")
            if len(flags) != len(CLASSES):
                sys.exit(f"{path}:{number}: expected {len(CLASSES)} numbers, found {len(flags)}")
            parts[part][digits] = [j for j, flag in enumerate(flags) if flag == "1"]
    return parts["train"], parts["val"]


def match_columns(columns, labels):
    """The label of each column, from rows that both lists have. Every such row must agree."""
    shared = [digits for digits in columns if digits in labels]
    with_column = [set() for _ in CLASSES]
    with_label = [set() for _ in CLASSES]
    for digits in shared:
        for j in columns[digits]:
            with_column[j].add(digits)
        for j in labels[digits]:
            with_label[j].add(digits)
    label_of = []
    for j, rows in enumerate(with_column):
        same = [label for label, others in enumerate(with_label) if others == rows]
        if len(same) != 1:
            sys.exit(f"column {j}: expected one label with the same {len(rows)} rows, found {len(same)}")
        label_of.append(same[0])
    return label_of, len(shared)


def write_table(path, rows, images):
    """Counts (written, without a photograph) for each part."""
    counts = {"train": [0, 0], "test": [0, 0]}
    with open(path, "w") as out:
        for part, digits, labels in rows:
            there = (images / f"{digits}.jpg").exists()
            counts[part][0 if there else 1] += 1
            if there:
                names = [CLASSES[j] for j in labels]
                out.write(json.dumps({"image": f"{digits}.jpg", "labels": names, "split": part}) + "\n")
    for part, (written, missing) in counts.items():
        print(f"{path}: {written} {part} rows, {missing} left out for want of a photograph")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True)
    parser.add_argument("--hashnet", required=True, nargs="+")
    parser.add_argument("--single")
    parser.add_argument("--images", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    options = parser.parse_args()

    train = read_lists(options.train)
    known, test = read_columns(options.hashnet)
    label_of, shared = match_columns(known, train)
    print(f"columns matched on {shared} training photographs")
    tests = [("test", digits, sorted(label_of[j] for j in columns)) for digits, columns in test.items()]
    write_table(options.out, [("train", *row) for row in train.items()] + tests, options.images)
    if options.single:
        single = read_lists(options.single)
        write_table(options.out.with_suffix(".single.jsonl"),
                    [("train", *row) for row in single.items()] + tests, options.images)
    options.out.with_suffix(".classes.txt").write_text("\n".join(CLASSES) + "\n")


if __name__ == "__main__":
    main()
