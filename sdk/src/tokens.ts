import { newIdempotencyKey } from './random-key.ts';
import type { OAuth2TokenResponse } from './types.ts';

/** The tokens of a signed-in member as the service returned them, with their expiry times. Can be stored as JSON. */
export interface Tokens extends OAuth2TokenResponse {
  /** When the access token expires, in milliseconds since 1970 by the clock of this machine. */
  expires_at: number;
  /** When the refresh token expires, and with it the session; in the same unit. */
  refresh_expires_at: number;
  /**
   * The retry key for the refresh of these tokens. It is stored together with the tokens, so that any process that
   * has them can repeat a refresh whose response was lost.
   */
  refresh_retry_key?: string;
}

/**
 * Returns the tokens of a response, with a new retry key for their refresh. The key is created now and not at the
 * refresh: the key would then have to be stored before the refresh, and this could overwrite tokens that another
 * process has stored since.
 */
export function tokensOf(answer: OAuth2TokenResponse): Tokens {
  const now = Date.now();
  return {
    ...answer,
    expires_at: now + answer.expires_in * 1000,
    refresh_expires_at: now + answer.refresh_expires_in * 1000,
    refresh_retry_key: newIdempotencyKey(),
  };
}

/** Maximum milliseconds before the expiry at which an access token is refreshed. */
const maxMarginMs = 30_000;

/**
 * Whether the access token expires so soon that a request might arrive too late: in the last tenth of its lifetime,
 * but at most 30 s before the expiry.
 */
export function isDue({ expires_at, expires_in }: Tokens): boolean {
  return Date.now() >= expires_at - Math.min(maxMarginMs, expires_in * 100);
}

/** Whether both are tokens of the same member in the same workspace, or both are null. */
export function isSameMember(one: Tokens | null, other: Tokens | null): boolean {
  return one?.user.user_id === other?.user.user_id && one?.user.tenant_id === other?.user.tenant_id;
}

/**
 * A store for the tokens of a session, for example a file, a database or the storage of a browser. Several processes
 * may share a store. The tokens are secret. If the store throws, the call throws the same error.
 */
export interface TokenStore {
  /** Returns the tokens that were saved last; null without tokens. Called before each attempt of a call. */
  load(): Tokens | null | Promise<Tokens | null>;
  /** Saves the tokens and thereby replaces the previous ones. Null removes them. */
  save(tokens: Tokens | null): void | Promise<void>;
}

/** Creates a store that keeps the tokens in memory until the process ends. */
export function memoryStore(): TokenStore {
  let kept: Tokens | null = null;
  return {
    load: () => kept,
    save(tokens) {
      kept = tokens;
    },
  };
}

/** A token store whose writes run one after the other. */
export interface OrderedStore {
  /**
   * Returns the saved tokens. If the last write has failed, repeats it before, so that the result never differs from
   * what is saved.
   */
  load(): Promise<Tokens | null>;
  /** Returns the tokens that were passed to `save` last, even if the store could not save them. */
  latest(): Promise<Tokens | null>;
  save(tokens: Tokens | null): Promise<void>;
}

export function inOrder(store: TokenStore): OrderedStore {
  /** The tokens of a write that has failed. After a refresh, these may be the only copy of the session. */
  let unsaved: { tokens: Tokens | null } | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    const written = writing.then(async () => {
      const next = unsaved;
      if (!next) return;
      await store.save(next.tokens);
      if (unsaved === next) unsaved = undefined;
    });
    writing = written.catch(() => {});
    return written;
  };
  // The caller's store may return undefined instead of null.
  const read = async () => (await store.load()) ?? null;
  return {
    async load() {
      if (unsaved) await write();
      return read();
    },
    latest: async () => (unsaved ? unsaved.tokens : read()),
    save(tokens) {
      unsaved = { tokens };
      return write();
    },
  };
}
