import type { CallStatus } from '@/bindings';
import type { ToolItem } from '@/lib/toolItem';
import type { PlainKey } from '@/i18n';

/** `data-state` of a card. */
export type CardState =
  'proposed' | 'checked' | 'asking' | 'started' | 'done' | 'error' | 'denied' | 'skipped' | 'cancelled';

/** Where a call stands, as a card shows it. */
export function cardState(tool: ToolItem): CardState {
  switch (tool.state) {
    case 'proposed':
      return 'proposed';
    case 'asking':
      return 'asking';
    case 'decided':
      return 'checked';
    case 'running':
      return 'started';
    case 'done':
      return endState(tool.status ?? 'ok');
  }
}

function endState(status: CallStatus): CardState {
  switch (status) {
    case 'ok':
      return 'done';
    case 'denied':
      return 'denied';
    case 'skipped':
      return 'skipped';
    case 'cancelled':
    case 'cancelled_running':
    case 'killed':
    case 'not_run':
      return 'cancelled';
    case 'error':
    case 'invalid':
    case 'unknown_tool':
    case 'blocked':
    case 'timeout':
    case 'lost':
      return 'error';
  }
}

/** The same in words. */
export function stateText(tool: ToolItem): PlainKey {
  return tool.state === 'done' ? `tool.status.${tool.status ?? 'ok'}` : `tool.state.${tool.state}`;
}
