import { expect, it } from 'vitest';
import { claimScreen, MAX_SCREENS } from './slots';

it('lets no more terminals live than the page can carry, and each shell in one place', () => {
  const gone: string[] = [];
  const claim = (shellId: string, view = shellId) => claimScreen({ shellId, revoke: () => gone.push(view) });
  const ends = Array.from({ length: MAX_SCREENS }, (_, at) => claim(`s${at}`));
  expect(gone).toEqual([]);
  ends.push(claim('s9'));
  expect(gone, 'the one that began first').toEqual(['s0']);
  ends.push(claim('s2', 'panel'));
  expect(gone, 'the same shell elsewhere').toEqual(['s0', 's2']);
  for (const end of ends) end();
  claim('x')();
  expect(gone).toEqual(['s0', 's2']);
});
