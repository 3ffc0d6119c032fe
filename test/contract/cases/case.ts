import type { Fields, Headers } from '#test/factories.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';

/** One call of a procedure over REST and /trpc. */
export interface Case {
  name: string;
  status: number;
  /** The exact detail of a refusal. */
  detail?: string;
  /** A request that changes data is made anew for each transport. */
  ask?: (fixture: ContractFixture) => Ask | Promise<Ask>;
  /** The response of /trpc if it differs by design, and why. */
  rpc?: { status: number; body: unknown; because: string };
  /** It needs work that waits or goes on, which workers would take. */
  withoutWorkers?: true;
  /** A body sent unchanged, with any credential: only REST has to parse it. */
  raw?: { contentType: string; body: string };
}

/** By the procedure's path. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

type Input = Fields | ((fixture: ContractFixture) => Fields | Promise<Fields>);

const by =
  (headers: (fixture: ContractFixture) => Headers) =>
  (input: Input = {}) =>
  async (fixture: ContractFixture): Promise<Ask> => ({
    input: typeof input === 'function' ? await input(fixture) : input,
    headers: headers(fixture),
  });

/** The caller and its credentials. */
export const asNobody = by(() => ({}));
export const asKey = by(({ founder }) => founder.key);
export const asAdmin = by(({ founder }) => founder.bearer);
export const asMember = by(({ member }) => member.bearer);
export const asOperator = by(({ operator }) => operator.key);
export const asCookie = by(({ founder }) => founder.cookie);
/** Another site's page, with a member's cookie or without one. */
export const asForeignPage = by(() => ({ 'sec-fetch-site': 'cross-site' }));
export const asForeignPageWithCookie = by(({ founder }) => ({
  ...founder.cookie,
  origin: 'https://elsewhere.example',
}));

export const crossSite = 'cross-site requests are not allowed here';

/** C 7: the response of /trpc to a caller with only the cookie. */
export const withoutCookie = (detail: string) => ({
  status: 401,
  body: { detail },
  because: 'the cookie counts nowhere on /trpc',
});

/** The /trpc form of a 204. */
export const noContent = {
  status: 200,
  body: null,
  because: 'tRPC has no status but 200 for a success',
};

/** How a procedure under the guard "Admin" refuses a caller without that role. */
export function adminRefusals(input: Input = {}): Case[] {
  const detail = 'admin credentials required';
  return [
    { name: 'nobody asks', status: 401, detail, ask: asNobody(input) },
    { name: 'a key asks', status: 401, detail, ask: asKey(input) },
    { name: 'a member asks', status: 403, detail: 'admin role required', ask: asMember(input) },
  ];
}

export const noId = 'f'.repeat(32);
