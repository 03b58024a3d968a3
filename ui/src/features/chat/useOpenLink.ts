import { useRun, useWorkbench } from '@/state';

/** Hands an address to the system after a click, and only an address of the web or of mail. */
export function useOpenLink(): (address: string) => void {
  const run = useRun();
  const { backend } = useWorkbench();
  return (address) => {
    if (/^(?:https?:\/\/|mailto:)/i.test(address)) void run(backend.call('open_external', { url: address }));
  };
}
