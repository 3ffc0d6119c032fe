import type { Tokens } from './tokens.ts';

/**
 * Where the tokens of a session are kept: a file, a database, a browser's storage. Several processes may share one. It
 * holds secrets; what it throws, the call throws.
 */
export interface TokenStore {
  /** What was saved last; null where nothing is. Asked before each attempt of a call. */
  load(): Tokens | null | Promise<Tokens | null>;
  /** Keeps the tokens in place of those before; null: there are none any more. */
  save(tokens: Tokens | null): void | Promise<void>;
}

/** A store that is gone with the process. */
export function memoryStore(): TokenStore {
  let kept: Tokens | null = null;
  return {
    load: () => kept,
    save(tokens) {
      kept = tokens;
    },
  };
}

/** A store whose writes come one after the other, and none of them twice. */
export interface OrderedStore {
  /** What is saved. A write that failed is made up for first, so that nobody uses tokens which are not saved. */
  load(): Promise<Tokens | null>;
  /** What was to be saved last, whether the store took it or not. */
  latest(): Promise<Tokens | null>;
  save(tokens: Tokens | null): Promise<void>;
}

export function inOrder(store: TokenStore): OrderedStore {
  /** What the store has not taken yet: after a refresh this is the only copy of the session. */
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
  // A store of the caller's may well answer undefined.
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
