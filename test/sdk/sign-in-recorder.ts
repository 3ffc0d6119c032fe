import { type Fetch, LinguaLoop, type LinguaLoopOptions, type TokenStore, type Tokens } from '#sdk/index.ts';

/** A request that the SDK has sent. */
export interface Sent {
  /** The path, such as `/api/translations`. */
  call: string;
  headers: Record<string, string>;
  input: Record<string, unknown>;
  /** The status of the response; undefined until it has arrived. */
  status?: number;
}

/** A `fetch` function that records all requests. `before` is awaited before each request is sent. */
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

/** Parses the fields of a JSON body or of a form. */
function fieldsOf(body: string): Record<string, unknown> {
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

/** A token store that several clients share, like processes that share a file. */
export function sharedStore(tokens: Tokens | null = null) {
  const store = {
    tokens,
    /** The saved tokens, without saves that only add the retry key of a refresh. */
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

/** A client for this URL that retries almost immediately. */
export function clientOf(baseUrl: string, options: Partial<LinguaLoopOptions> = {}): LinguaLoop {
  return new LinguaLoop({ baseUrl, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

/** The same tokens, but with an expired access token. */
export function ended(tokens: Tokens): Tokens {
  return { ...tokens, expires_at: Date.now() - 1 };
}

/** The same tokens, but with an access token that is invalid. Only the service can detect this. */
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
