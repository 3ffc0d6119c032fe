import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Scope } from '#server/context.ts';
import { makeDemoWorkspace } from '#server/demo/demo-workspace.ts';
import { scopes } from '#server/identity/access/api-keys.ts';
import { visitCookie, visitorReads } from '#server/identity/access/visits.ts';
import { appRouter } from '#server/router.ts';
import { proceduresOf } from '#server/trpc.ts';
import { addKey, apiKey, type Fields, type Headers } from '#test/factories.ts';
import { enrollmentChallenge } from '../factories.ts';
import type { Answer } from './call.ts';
import { selling } from './fixture.ts';
import {
  type Caller,
  callAsEverybody,
  callers,
  callOver,
  expectedBy,
  expectedOf,
  inShort,
  isRefusal,
  type Kind,
  type Transport,
  transportsOf,
  verdictOf,
  verdictOn,
} from './guards/callers.ts';
import { type GuardFixture, useGuardFixture } from './guards/guard-fixture.ts';
import { foundersKey, owned } from './guards/owned.ts';
import { type Probe, probes } from './guards/probes.ts';
import { rightOf, rights } from './guards/rights.ts';
import { noteWrites, writesSince } from './guards/writes.ts';
import { type DefinedProcedure, procedures } from './procedures.ts';

/*
 * One pass over all procedures, over each transport that serves them: every credential gets the response that
 * docs/rules/rights.tsv states, whoever is rejected writes nothing, and IDs of another workspace are as unknown as IDs
 * that nothing has.
 */

const fixture = useGuardFixture({ DEMO_WORKSPACE: 'true' });
const seller = useGuardFixture({ DEMO_WORKSPACE: 'true', ...selling });
/** Billing procedures are called on the deployment with billing. */
const fixtureOf = (path: string) => (path.startsWith('billing.') ? seller : fixture);

/** For each deployment, a key of each scope in the first workspace. */
const keys = new Map<object, Record<Scope, Headers>>();
let visitor: Headers;
beforeAll(async () => {
  for (const at of [fixture, seller]) {
    const made = scopes.map(async (scope) => {
      const { api_key } = await addKey(at.app, at.founder, { scopes: [scope] });
      return [scope, apiKey(api_key)];
    });
    keys.set(at, Object.fromEntries(await Promise.all(made)));
    await makeDemoWorkspace(at.app.services);
    await noteWrites(at.sql);
  }
  visitor = { cookie: visitCookie(fixture.app.services).split(';')[0] as string };
});

test('every procedure declares the right that docs/rules/rights.tsv states', () => {
  const declared = procedures.map(({ path, guard, scopes: allowing }) => [
    path,
    { guard, scopes: allowing, visitors: visitorReads.has(path) },
  ]);
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(rights));
  expect([...rights.keys()]).toEqual(expect.arrayContaining(Object.keys(probes)));
  // The preview of a document is no procedure; artifact-bytes.test.ts calls its path.
  const withoutProcedure = [...visitorReads].filter((path) => !rights.has(path));
  expect(withoutProcedure).toEqual(['documents.artifact']);
});

test('a right has scopes if its guard accepts API keys, and visitors only read', () => {
  const accepting = procedures.filter(
    ({ path }) => rightOf(path).guard !== 'public' && verdictOf(rightOf(path).guard, 'tenant key') === 'in',
  );
  const scoped = procedures.filter(({ path }) => rightOf(path).scopes);
  expect(scoped).toEqual(accepting);
  const visited = procedures.filter(({ path }) => rightOf(path).visitors);
  expect(new Set(visited.map(({ type }) => type))).toEqual(new Set(['query']));
});

/** The kinds of callers for which the response depends on the procedure, and not only on its guard. */
const usual: readonly Kind[] = [
  'nothing',
  'member',
  'administrator',
  'foreign administrator',
  'tenant key',
  'operator key',
  'operator session',
  'administrator’s cookie',
];
const usualCallers = usual.map((kind) => callers.find((one) => one.kind === kind) as Caller);

/** One procedure of each guard, which all admitted callers call; over both transports if possible. */
const byEveryone = new Set(
  [...Map.groupBy(procedures, ({ path }) => rightOf(path).guard).values()].map(
    (guarded) => (guarded.find((one) => transportsOf(one).length === 2) ?? guarded[0])?.path,
  ),
);

const inputOf = async ({ input }: Probe, at: GuardFixture) => (await input?.(at)) ?? {};

const cases = procedures.flatMap((procedure) =>
  transportsOf(procedure).map((transport) => [procedure.path, transport, procedure] as const),
);

describe.each(cases)('%s over %s', { timeout: 90_000 }, (path, transport, procedure) => {
  const at = fixtureOf(path);
  const probe = probes[path] ?? {};
  const { guard, scopes: allowing, visitors } = rightOf(path);
  const answerTo = (headers: Headers, input: Fields) =>
    callOver[transport](at.app, procedure, { input, headers });

  test.skipIf(guard === 'public')('rejects whom its right leaves out, and writes nothing', async () => {
    const input = await inputOf(probe, at);
    await at.app.settled();
    await writesSince(at.sql);
    const responses: Fields = {};
    const expected: Fields = {};
    const reject = async (who: string, headers: Headers, refusal: string) => {
      responses[who] = inShort(await answerTo(headers, input));
      expected[who] = refusal;
    };
    for (const caller of callers)
      if (isRefusal(verdictOn(caller, guard, transport)))
        await reject(caller.name, caller.headers(at), expectedBy(caller, guard, probe, transport));
    for (const [scope, headers] of Object.entries(keys.get(at) ?? {}))
      if (allowing && !allowing.includes(scope as Scope))
        await reject(
          `a key for ${scope}`,
          headers,
          `403 this API key lacks the scope ${allowing.join(' or ')}`,
        );
    if (!visitors) await reject('a visitor', visitor, verdictOf(guard, 'nothing'));
    expect(responses).toEqual(expected);
    expect(await writesSince(at.sql)).toEqual([]);
  });

  test('serves each caller whom its right admits', async () => {
    const responses: Fields = {};
    const expected: Fields = {};
    const admit = async (who: string, headers: Headers, outcome: string) => {
      responses[who] = inShort(await answerTo(headers, await inputOf(probe, at)));
      expected[who] = outcome;
      await probe.restore?.(at);
    };
    const inside = expectedBy({ kind: 'member' } as Caller, 'public', probe, transport);
    for (const caller of byEveryone.has(path) ? callers : usualCallers)
      if (!isRefusal(verdictOn(caller, guard, transport)))
        await admit(caller.name, caller.headers(at), expectedBy(caller, guard, probe, transport));
    for (const scope of allowing ?? [])
      await admit(`a key for ${scope}`, (keys.get(at) as Record<Scope, Headers>)[scope], inside);
    expect(responses).toEqual(expected);
  });

  test('treats the IDs of another workspace as unknown', () =>
    treatsForeignIdsAsUnknown(procedure, transport, at));
});

/** Fields that end in `id` but hold a secret or a name that callers choose, and are no ID of the workspace. */
const noIds = new Set(['challenge_id', 'adaptive_dataset_id']);
const schemas = new Map(proceduresOf(appRouter).map(([path, { inputs }]) => [path, inputs]));

/** Whether an input has an ID: such a procedure needs an ID of the first workspace in its probe. */
function takesIds(path: string): boolean {
  const schema = JSON.stringify(
    (schemas.get(path) ?? []).map((one) =>
      z.toJSONSchema(one as z.ZodType, { unrepresentable: 'any', io: 'input' }),
    ),
  );
  return [...schema.matchAll(/"((?:\w+_)?ids?)":\{/g)].some(([, name]) => !noIds.has(name as string));
}

/** The owner gets the same response for any ID: a foreign tenant is ignored, and matches are only ranked by the document. */
const ignoringIds = new Set(['members.list', 'usage.daily', 'memory.matches']);

const anId = /^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Calls with IDs of the first workspace as outsiders, then with IDs that nothing has. */
async function treatsForeignIdsAsUnknown(
  procedure: DefinedProcedure,
  transport: Transport,
  at: GuardFixture,
): Promise<void> {
  const { path } = procedure;
  const { guard, visitors } = rightOf(path);
  const probe = probes[path] ?? {};
  if (guard === 'platform_operator' || guard === 'public') return;
  const input = (await owned[path]?.(at)) ?? (await inputOf(probe, at));
  const ids = [...JSON.stringify(input).matchAll(/"([^"]*)"/g)].map(([, text]) => text as string);
  const foreign = ids.filter((text) => anId.test(text));
  const unknown = replaceIds(input);
  const call = async (headers: Headers, sent: Fields) => {
    const { status, body } = await callOver[transport](at.app, procedure, { input: sent, headers });
    return { status, body };
  };
  const outsiders: [name: string, headers: Headers, admitted: boolean][] = [
    ['an administrator', at.neighbour.bearer, !isRefusal(verdictOf(guard, 'foreign administrator'))],
    ['a key', at.neighbour.key, verdictOf(guard, 'tenant key') === 'in'],
    [
      'a cookie',
      at.neighbour.cookie,
      transport === 'REST' && !isRefusal(verdictOf(guard, 'foreign administrator’s cookie')),
    ],
    ['a visitor', visitor, visitors],
  ];
  await at.app.settled();
  for (const [name, headers, admitted] of outsiders) {
    if (!admitted) continue;
    await writesSince(at.sql);
    const answer = await call(headers, input);
    await at.app.settled();
    const written = (await writesSince(at.sql)).filter(([, tenantId]) => tenantId === at.founder.tenantId);
    expect([name, written]).toEqual([name, []]);
    const text = masked(answer, foreign);
    for (const secret of secretsOf(at))
      expect([name, text]).toEqual([name, expect.not.stringContaining(secret)]);
    if (foreign.length > 0)
      expect([name, text]).toEqual([name, masked(await call(headers, unknown), [unknownId, unknownUuid])]);
  }
  if (!takesIds(path) || ignoringIds.has(path)) return;
  expect(foreign, 'the probe has no ID of the founder’s workspace').not.toEqual([]);
  const owner = verdictOf(guard, 'administrator') === 'in' ? at.founder.bearer : at.founder.cookie;
  const own = await call(owner, input);
  expect(masked(own, foreign), 'the owner’s answer shows that the ID exists').not.toEqual(
    masked(await call(owner, unknown), [unknownId, unknownUuid]),
  );
  await probe.restore?.(at);
}

const unknownId = 'f'.repeat(32);
const unknownUuid = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

/** Replaces each ID in an input by one of the same form that nothing has. */
function replaceIds<T>(value: T): T {
  if (typeof value === 'string' && anId.test(value))
    return (value.length === 32 ? unknownId : unknownUuid) as T;
  if (Array.isArray(value)) return value.map(replaceIds) as T;
  if (value === null || Object.getPrototypeOf(value ?? 0) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value as Fields).map(([name, one]) => [name, replaceIds(one)]),
  ) as T;
}

/** The text of a response, without the IDs that the caller has sent, and without IDs and times of a request. */
function masked({ status, body }: Pick<Answer, 'status' | 'body'>, sent: readonly string[]): string {
  let text = `${status} ${JSON.stringify(body) ?? ''}`;
  for (const id of sent) text = text.replaceAll(id, 'ID');
  return text
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"ID"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, 'TIME');
}

/** IDs, addresses and content of the own workspace. */
const secretsOf = ({ founder, member, target, ...at }: GuardFixture): string[] => [
  ...[founder, member, target].flatMap(({ userId, email }) => [userId, email]),
  ...[founder.tenantId, at.jobId, at.heldJobId, at.importId, at.memoryId, at.inviteId],
  ...(at.documentId ? [at.documentId] : []),
  foundersKey,
];

test('a visitor gets no export of the workspace', async () => {
  const { status } = await fixture.app.request(`/app/exports/${'f'.repeat(32)}`, { headers: visitor });
  expect(status).toBe(401);
});

describe('a challenge', () => {
  const refused = '401 authentication required';
  const enroll = procedures.find(({ path }) => path === 'auth.enrollMfa') as DefinedProcedure;

  test.each<Transport>(['REST', '/trpc'])(
    'admits its holder, whatever else is presented: %s',
    async (transport) => {
      const challenge_id = await enrollmentChallenge(fixture.app);
      const probe = { input: () => ({ challenge_id }) };
      expect(await callAsEverybody(fixture.app, fixture, enroll, probe, transport)).toEqual(
        expectedOf('public', probe, transport),
      );
    },
  );

  test.each([
    ['of a form that none has', async () => 'nothing'],
    ['of nobody', async () => `${fixture.founder.tenantId}.${'A'.repeat(43)}`],
    ['of no tenant', async () => `${'f'.repeat(32)}.${'A'.repeat(43)}`],
    [
      'that has expired',
      async () => {
        const challengeId = await enrollmentChallenge(fixture.app);
        await fixture.sql`update mfa_challenges set expires_at = now() - interval '1 second'`;
        return challengeId;
      },
    ],
  ])('refuses a challenge %s, with or without a cookie beside it', async (_, challengeIdOf) => {
    const input = { challenge_id: await challengeIdOf() };
    for (const call of Object.values(callOver))
      for (const headers of [{}, fixture.founder.cookie, fixture.founder.bearer])
        expect(inShort(await call(fixture.app, enroll, { input, headers }))).toBe(refused);
  });
});
