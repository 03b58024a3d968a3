export { BackendError, newOp, toBackendError } from './types';
export type {
  AppEvent,
  Backend,
  RequestOf,
  ResponseOf,
  TerminalHandlers,
  TerminalLink,
  Unsubscribe,
} from './types';
