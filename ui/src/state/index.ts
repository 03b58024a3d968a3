export type { AppState, AppStatus } from './appStore';
export * from './context';
export { LiveText, LiveTexts } from './liveText';
export { deriveRows, toolOf, type Row } from './rows';
export { useStopShell } from './stopShell';
export { SessionLink, WITHDRAWN_SHOWN_MS, type SessionView } from './sessionLink';
export type { ClosedAsk, LiveHead, PhaseState, RetryState, SessionState } from './sessionReducer';
export type { Toast, ToastKind } from './toasts';
export {
  PANEL_FOR_TERMINAL_PX,
  PANEL_PX,
  SIDEBAR_PX,
  type PanelTab,
  type Route,
  type UiState,
} from './uiStore';
export { Workbench, type OpenAt } from './workbench';
