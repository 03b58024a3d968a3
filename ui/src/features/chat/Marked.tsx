import { useStore } from 'zustand';
import { useWorkbench } from '@/state';

/** Plain text with the words of the search that led here marked. */
export function Marked({ text }: { text: string }) {
  const query = useStore(useWorkbench().current, (current) => current.at.query);
  if (query === null || query === '') return <>{text}</>;
  const words = query.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pieces = text.split(new RegExp(`(${words.join('|')})`, 'giu'));
  return (
    <>
      {pieces.map((piece, at) =>
        at % 2 === 1 ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
      )}
    </>
  );
}
