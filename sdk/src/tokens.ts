import { newIdempotencyKey } from './random-key.ts';
import type { OAuth2TokenResponse } from './types.ts';

/** The tokens of a signed-in member, as returned by the service, and their expiry. Plain JSON. */
export interface Tokens extends OAuth2TokenResponse {
  /** When the access token ends, in milliseconds since 1970 by this machine's clock. */
  expires_at: number;
  /** When the refresh token ends, and with it the session. */
  refresh_expires_at: number;
  /**
   * The key of their refresh: it is saved with them, so that any process with these tokens can repeat the refresh if
   * its response was lost.
   */
  refresh_retry_key?: string;
}

/**
 * The tokens of a new response, with the key of their refresh. If the key were created only when they are refreshed,
 * it would have to be written to the store first, and that write could replace the tokens that another process has
 * saved since.
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

/** Maximum milliseconds before its expiry in which an access token is renewed. */
const maxMarginMs = 30_000;

/**
 * Whether the access token expires so soon that a call might arrive too late: within the last tenth of its life, at
 * most 30 s.
 */
export function isDue({ expires_at, expires_in }: Tokens): boolean {
  return Date.now() >= expires_at - Math.min(maxMarginMs, expires_in * 100);
}

/** Whether both belong to the same member of the same workspace, or both are null. */
export function isSameMember(one: Tokens | null, other: Tokens | null): boolean {
  return one?.user.user_id === other?.user.user_id && one?.user.tenant_id === other?.user.tenant_id;
}

/**
 * The store for the tokens of a session: a file, a database, a browser's storage. Several processes may share one. It
 * contains secrets; if it throws, the call throws the same error.
 */
export interface TokenStore {
  /** Returns the last saved tokens; null without any. Called before each attempt of a call. */
  load(): Tokens | null | Promise<Tokens | null>;
  /** Stores the tokens in place of the previous ones; null removes them. */
  save(tokens: Tokens | null): void | Promise<void>;
}

/** A store that lasts as long as the process. */
export function memoryStore(): TokenStore {
  let kept: Tokens | null = null;
  return {
    load: () => kept,
    save(tokens) {
      kept = tokens;
    },
  };
}

/** A store whose writes run in sequence, none of them twice. */
export interface OrderedStore {
  /** Returns the saved tokens. First retries a write that failed, so that unsaved tokens are never used. */
  load(): Promise<Tokens | null>;
  /** Returns the tokens last passed to `save`, even if the store failed to save them. */
  latest(): Promise<Tokens | null>;
  save(tokens: Tokens | null): Promise<void>;
}

export function inOrder(store: TokenStore): OrderedStore {
  /** Tokens not saved yet: after a refresh this is the only copy of the session. */
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
  // A caller's store may return undefined.
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
