import { expect, it } from 'vitest';
import { FlowMeter } from './flow';

const lines = (count: number) => new TextEncoder().encode('0123456\n'.repeat(count));

it('speaks of fast output only while some of it is left out', () => {
  const flow = new FlowMeter();
  flow.drawn(lines(500), 0);
  expect(flow.fast(10), 'all is drawn').toBeNull();
  flow.leftOut(8 * 4_000, 100);
  flow.drawn(lines(500), 200);
  expect(flow.fast(300), 'what was left out counts like what was drawn').toBe(5_000);
  expect(flow.fast(1_150), 'the last second only').toBe(500);
  expect(flow.fast(2_200)).toBeNull();
  flow.leftOut(0, 3_000);
  expect(flow.fast(3_000), 'a new picture without a hole').toBeNull();
});
