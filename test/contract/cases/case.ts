import type { Fields, Headers } from '#test/factories.ts';
import { refusalOf } from '#test/setup/app.ts';
import type { Ask } from '../call.ts';
import type { ContractFixture } from '../fixture.ts';
import type { GuardFixture } from '../guards/guard-fixture.ts';

/**
 * One call of a procedure, over REST and over /trpc. `../rights.test.ts` tests who may call a procedure, and the tests
 * of its domain test its rules. The cases here are successes, and each kind of error once: the same code produces the
 * errors of all procedures, for each transport.
 */
export interface Case {
  name: string;
  status: number;
  /** The exact detail of an error. */
  detail?: string;
  /** Creates the request. Called once for each transport, so that each request has its own data to change. */
  ask?: (fixture: GuardFixture) => Ask | Promise<Ask>;
  /** The response of /trpc if it differs from REST by design, and the reason. */
  rpc?: { status: number; body: unknown; because: string };
  /** Whether the case needs queued or running work, which running workers would complete. */
  withoutWorkers?: true;
  /**
   * A body that is sent unchanged, with the credentials of `ask`. Only sent over REST, where such bodies are parsed.
   */
  raw?: { contentType: string; body: string };
}

/** The cases of each procedure, by its path. */
export type Cases = Readonly<Record<string, readonly Case[]>>;

type Input = Fields | ((fixture: ContractFixture) => Fields | Promise<Fields>);

const by =
  (headers: (fixture: ContractFixture) => Headers) =>
  (input: Input = {}) =>
  async (fixture: ContractFixture): Promise<Ask> => ({
    input: typeof input === 'function' ? await input(fixture) : input,
    headers: headers(fixture),
  });

/** Functions that create a request with the credentials of one caller. */
export const asNobody = by(() => ({}));
export const asKey = by(({ founder }) => founder.key);
export const asAdmin = by(({ founder }) => founder.bearer);
export const asMember = by(({ member }) => member.bearer);
export const asOperator = by(({ operator }) => operator.key);
/** The response of /trpc to a caller whose only credential is the cookie. */
export const withoutCookie = (detail: string) => ({
  status: 401,
  body: refusalOf(detail),
  because: 'the cookie counts nowhere on /trpc',
});

/** The response of /trpc if REST responds with 204. */
export const noContent = {
  status: 200,
  body: null,
  because: 'tRPC has no status but 200 for a success',
};

export const noId = 'f'.repeat(32);
