// What a reviewer who knows everything would say.
const fs = require('node:fs');
const path = require('node:path');

// The true labels of a data folder (or another of its files of labels), one row after another: bytes, or numbers of 8 bytes as the
// authors' files have them.
function truthOf(data, labels, part = 'train', name = 'labels') {
  const file = fs.readFileSync(path.join(data, `formatted_${part}_${name}.npy`));
  const start = 10 + file.readUInt16LE(8);
  const [, type] = file.toString('latin1', 10, start).match(/'descr': '([^']*)'/);
  const read = {
    '|i1': (i) => file.readInt8(start + i),
    '<i8': (i) => Number(file.readBigInt64LE(start + 8 * i)),
    '<f8': (i) => file.readDoubleLE(start + 8 * i),
  }[type];
  if (!read) throw new Error(`labels of type ${type}`);
  return (row, label) => read(row * labels + label) > 0;
}

module.exports = { truthOf };
