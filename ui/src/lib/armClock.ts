/**
 * The clock of the pause before an approval takes input. It is its own, so that tests can move it without moving
 * anything else.
 */

interface Alarm {
  due: number;
  timer: number;
  ring: () => void;
}

let ahead = 0;
const alarms = new Set<Alarm>();

function now(): number {
  return performance.now() + ahead;
}

/** Rings once after so many milliseconds, unless the answer is called before. */
export function ringAfter(ms: number, ring: () => void): () => void {
  const alarm: Alarm = { due: now() + ms, ring, timer: 0 };
  const fire = () => {
    if (alarms.delete(alarm)) ring();
  };
  alarm.timer = window.setTimeout(fire, ms);
  alarms.add(alarm);
  return () => {
    window.clearTimeout(alarm.timer);
    alarms.delete(alarm);
  };
}

/** Moves the clock forward. */
export function advanceArmClock(ms: number): void {
  ahead += ms;
  for (const alarm of [...alarms]) {
    if (alarm.due > now()) continue;
    window.clearTimeout(alarm.timer);
    alarms.delete(alarm);
    alarm.ring();
  }
}
