import { useStore } from 'zustand';
import { announcements } from '@/lib/announce';

/** The two hidden regions that screen readers listen to. */
export function Announcer() {
  const { polite, assertive } = useStore(announcements);
  return (
    <div className="visually-hidden">
      <div aria-live="polite">{polite}</div>
      <div aria-live="assertive">{assertive}</div>
    </div>
  );
}
