import { expect, it } from 'vitest';
import { contrast, parseHex, readableOn, toHex } from './readable';

it.each([
  [0xff0000, 0x0d0f13],
  [0x000080, 0x0d0f13],
  [0xffff00, 0xffffff],
  [0x808080, 0x777777],
  [0x000000, 0x000000],
])('makes %d readable on %d', (color, behind) => {
  expect(contrast(readableOn(color, behind), behind)).toBeGreaterThanOrEqual(4.5);
});

it('leaves what can be read', () => {
  expect(readableOn(0x123456, 0xffffff)).toBe(0x123456);
  expect(Math.round(contrast(0, 0xffffff))).toBe(21);
  expect(toHex(parseHex(' #01abEF'))).toBe('#01abef');
});
