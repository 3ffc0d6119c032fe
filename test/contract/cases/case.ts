import type { Fields, Headers } from '#test/factories.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';
import type { GuardFixture } from '../guards/guard-fixture.ts';

/**
 * One call of a procedure over REST and /trpc. Who may call it is in `../guards.test.ts`, and its rules are in the tests of its domain:
 * here are successes, and each kind of error once. Both transports present the errors of all procedures by the same code.
 */
export interface Case {
  name: string;
  status: number;
  /** The exact detail of a refusal. */
  detail?: string;
  /** A request that changes data is made anew for each transport. */
  ask?: (fixture: GuardFixture) => Ask | Promise<Ask>;
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
/** The response of /trpc to a caller with only the cookie. */
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

export const noId = 'f'.repeat(32);
