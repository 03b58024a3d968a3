// Reads as much of a PNG as it takes to say how many colours a screenshot has.

import { inflateSync } from 'node:zlib';

const BYTES_PER_PIXEL = { 2: 3, 6: 4 };

/** The number of different colours of an 8-bit picture without interlacing. */
export function countColours(png) {
  const { width, height, pixelBytes, data } = read(png);
  const stride = width * pixelBytes;
  let above = Buffer.alloc(stride);
  const colours = new Set();
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const line = Buffer.from(data.subarray(start + 1, start + 1 + stride));
    restore(data[start], line, above, pixelBytes);
    for (let x = 0; x < stride; x += pixelBytes) colours.add(line.readUIntBE(x, 3));
    above = line;
  }
  return colours.size;
}

function read(png) {
  let header = null;
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') parts.push(body);
    at += length + 12;
  }
  const pixelBytes = BYTES_PER_PIXEL[header[9]];
  if (header[8] !== 8 || pixelBytes === undefined || header[12] !== 0) throw new Error('a PNG of another kind');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  return { width, height, pixelBytes, data: inflateSync(Buffer.concat(parts)) };
}

/** Undoes the filter of a line, in place. */
function restore(filter, line, above, step) {
  for (let i = 0; i < line.length; i += 1) {
    const left = i < step ? 0 : line[i - step];
    const corner = i < step ? 0 : above[i - step];
    line[i] += [0, left, above[i], (left + above[i]) >> 1, paeth(left, above[i], corner)][filter];
  }
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((value) => Math.abs(guess - value));
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
