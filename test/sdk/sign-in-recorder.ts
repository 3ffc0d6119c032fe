import { type Fetch, LinguaLoop, type LinguaLoopOptions, type TokenStore, type Tokens } from '#sdk/index.ts';

/** One request as the SDK sent it. */
export interface Sent {
  /** The path: `/api/translations`. */
  call: string;
  headers: Record<string, string>;
  input: Record<string, unknown>;
  /** The response's status; undefined until it came. */
  status?: number;
}

/** A `fetch` that keeps what it sends. `before` is awaited in front of each request. */
export function recorder(before: (sent: Sent) => unknown = () => {}) {
  const sent: Sent[] = [];
  const recorded: Fetch = async (url, init) => {
    const { pathname } = new URL(url);
    const one: Sent = {
      call: pathname,
      headers: init.headers as Record<string, string>,
      input: typeof init.body === 'string' ? fieldsOf(init.body) : {},
    };
    sent.push(one);
    await before(one);
    const response = await fetch(url, init);
    one.status = response.status;
    return response;
  };
  return {
    fetch: recorded,
    sent,
    calls: () => sent.map(({ call }) => call),
    refreshes: () => sent.filter(({ input }) => input['grant_type'] === 'refresh_token'),
  };
}

/** The fields of a body of JSON, or of a form. */
function fieldsOf(body: string): Record<string, unknown> {
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

/** A store that several clients may share, as several processes would share a file. */
export function sharedStore(tokens: Tokens | null = null) {
  const store = {
    tokens,
    /** Without those that only add the key of a refresh. */
    saves: [] as (Tokens | null)[],
    load: async () => structuredClone(store.tokens),
    async save(next: Tokens | null) {
      if (next?.access_token !== store.tokens?.access_token) store.saves.push(next);
      store.tokens = structuredClone(next);
    },
  };
  return store satisfies TokenStore;
}

export const password = 'a long enough passphrase';

/** A client for this address, without waits between attempts. */
export function clientOf(baseUrl: string, options: Partial<LinguaLoopOptions> = {}): LinguaLoop {
  return new LinguaLoop({ baseUrl, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

/** The tokens as they are once their access token has ended. */
export function ended(tokens: Tokens): Tokens {
  return { ...tokens, expires_at: Date.now() - 1 };
}

/** The tokens with an invalid access token, which only the service can detect. */
export function refused(tokens: Tokens): Tokens {
  return { ...tokens, access_token: 'x'.repeat(43) };
}

export function errorOf(call: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  return call.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );
}
