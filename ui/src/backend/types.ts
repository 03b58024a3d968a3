import type {
  ApiError,
  Commands,
  Envelope,
  ErrorCode,
  SessionId,
  ShellId,
  ShellInfo,
  StoreState,
  TerminalSnapshot,
} from '@/bindings';

/** What a command takes. */
export type RequestOf<K extends keyof Commands> = Commands[K][0];

/** What a command gives. */
export type ResponseOf<K extends keyof Commands> = Commands[K][1];

/** Ends a subscription. Calling it twice does nothing. */
export type Unsubscribe = () => void;

/** Something that concerns the whole window, not one session. */
export interface AppEvent {
  /** `sessions_changed`, `settings_changed`, `store`, `shell_ended`, `close_requested` … ; unknown ones are ignored. */
  type: string;
  /** With `store`: whether the store can be written. */
  state?: StoreState;
  /** With `shell_ended`: the command. */
  shell?: ShellInfo;
}

/** What a view of a terminal gets. */
export interface TerminalHandlers {
  /** The screen as it stands; replaces everything before. */
  snapshot(snapshot: TerminalSnapshot): void;
  /** Output from `offset` on, in order and without holes. */
  bytes(offset: number, data: Uint8Array): void;
  /** Output was left out; a new snapshot follows. */
  gap(): void;
}

/** A view that is attached to a terminal. */
export interface TerminalLink {
  /** Says how far the view has drawn; the backend holds more output back until then. */
  ack(offset: number): void;
  /** Ends the view. */
  detach(): void;
}

/** Everything the window knows of the world. The only two implementations are the shell's and the tests'. */
export interface Backend {
  /** Runs a command; rejects with [`BackendError`]. */
  call<K extends keyof Commands>(name: K, request: RequestOf<K>): Promise<ResponseOf<K>>;
  /** Events of one session, in order, from now on. */
  subscribe(sessionId: SessionId, onEnvelopes: (batch: readonly Envelope[]) => void): Promise<Unsubscribe>;
  /** Events of the whole window. */
  onApp(handler: (event: AppEvent) => void): Promise<Unsubscribe>;
  /** Shows a terminal. */
  attachTerminal(shellId: ShellId, handlers: TerminalHandlers): Promise<TerminalLink>;
  /** Asks for a folder with the system's own dialog. */
  pickFolder(): Promise<string | null>;
  /** Sets the title of the window. */
  setTitle(title: string): Promise<void>;
  /** Says that the person is being asked about closing the window; until then the shell may think that nobody listens. */
  closingShown(): Promise<void>;
  /** The person does not close the window after all. */
  keepOpen(): Promise<void>;
  /** Ends the program and every command it runs. */
  quit(): Promise<void>;
}

/** A command that was refused, as an exception. */
export class BackendError extends Error {
  readonly code: ErrorCode;
  readonly args: readonly string[];

  constructor(error: ApiError) {
    super(error.message);
    this.name = 'BackendError';
    this.code = error.code;
    this.args = error.args;
  }
}

/** Turns whatever was thrown into a [`BackendError`]. */
export function toBackendError(thrown: unknown): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (isApiError(thrown)) return new BackendError(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new BackendError({ code: 'INTERNAL', message, args: [] });
}

function isApiError(value: unknown): value is ApiError {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}

/** An id for a command that changes something; the backend does the same id once. */
export function newOp(): string {
  return crypto.randomUUID();
}
