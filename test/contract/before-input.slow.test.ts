import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { GuardName, Scope } from '#server/context.ts';
import { scopes } from '#server/identity/access/api-keys.ts';
import { appRouter } from '#server/router.ts';
import { inputSource, proceduresOf } from '#server/trpc.ts';
import { addKey, apiKey, bearer, type Fields, type Headers } from '#test/factories.ts';
import { viaRest, viaRpc } from './call.ts';
import { selling } from './fixture.ts';
import { inShort, type Kind, type Transport, transportsOf, verdictOf } from './guards/callers.ts';
import { type GuardFixture, useGuardFixture } from './guards/guard-fixture.ts';
import { probes } from './guards/probes.ts';
import { type DefinedProcedure, namesOf, procedures } from './procedures.ts';

/** The procedures whose input is checked before the credential. Their bodies are read up to 102,400 bytes. */
const inputFirst = namesOf({ translations: 'create createBatch createFromFile createFromText' });

/** The guards without a credential, or with a challenge in the body as one. */
const anonymous: ReadonlySet<GuardName | undefined> = new Set(['public', 'challenge_or_cookie']);
const guarded = procedures.filter(({ guard }) => !anonymous.has(guard));

const schemas = new Map(proceduresOf(appRouter).map(([path, { inputs }]) => [path, inputs]));

const fixture = useGuardFixture();
const sellingFixture = useGuardFixture(selling);
const fixtureOf = (path: string) => (path.startsWith('billing.') ? sellingFixture : fixture);

/** How many schemas of inputs have begun to read a value. */
let parsed = 0;
const restore: (() => void)[] = [];
beforeAll(() => {
  for (const { _zod } of new Set([...schemas.values()].flat())) {
    const { run } = _zod;
    _zod.run = (...given) => {
      parsed += 1;
      return run(...given);
    };
    restore.push(() => {
      _zod.run = run;
    });
  }
});
afterAll(() => {
  for (const undo of restore) undo();
});
beforeEach(() => {
  parsed = 0;
});

/** For each deployment, a key of each scope. */
const keys = new Map<object, Record<Scope, Headers>>();
beforeAll(async () => {
  for (const at of [fixture, sellingFixture]) {
    const made = scopes.map(async (scope) => {
      const { api_key } = await addKey(at.app, at.founder, { scopes: [scope] });
      return [scope, apiKey(api_key)];
    });
    keys.set(at, Object.fromEntries(await Promise.all(made)));
  }
});

/** An input with a value in each field that no schema accepts, and that none compiles for nothing. */
function garbageFor(path: string, transport: Transport, { route }: DefinedProcedure): Fields {
  const [schema] = schemas.get(path) ?? [];
  const input = schema instanceof z.ZodPrefault ? schema.unwrap() : schema;
  const names = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
  return Object.fromEntries(
    names.map((name) => {
      const inUrl = transport === 'REST' && route && inputSource(route, name) !== 'body';
      const asText = inUrl || route?.upload || route?.body;
      return [name, asText ? '\\pL{1000}' : { garbage: ['\\pL{1000}'] }];
    }),
  );
}

interface Stranger {
  kind: Kind;
  headers(at: GuardFixture): Headers;
}

const strangers: Readonly<Record<string, Stranger>> = {
  nobody: { kind: 'nothing', headers: () => ({}) },
  'a garbage key': { kind: 'junk key', headers: () => ({ 'x-api-key': 'nobody-0123456789' }) },
  'a garbage bearer': { kind: 'junk bearer', headers: () => bearer('nobody-0123456789') },
  'an expired session': { kind: 'session that is over', headers: ({ expired }) => expired.bearer },
  'a member': { kind: 'member', headers: ({ member }) => member.bearer },
  'an administrator': { kind: 'administrator', headers: ({ founder }) => founder.bearer },
  'a key': { kind: 'tenant key', headers: ({ founder }) => founder.key },
};

const callOver = { REST: viaRest, '/trpc': viaRpc };
const cases = guarded.flatMap((procedure) =>
  transportsOf(procedure).map((transport) => [procedure.path, transport, procedure] as const),
);

test('what the tests count as read is read for a caller whom the guard admits', async () => {
  const procedure = procedures.find(({ path }) => path === 'segmentation.save')!;
  const input = garbageFor(procedure.path, '/trpc', procedure);
  expect(inShort(await viaRpc(fixture.app, procedure, { input, headers: fixture.founder.bearer }))).toMatch(
    /^422/,
  );
  expect(parsed).toBeGreaterThan(0);
});

describe.each(cases.filter(([path]) => !inputFirst.includes(path)))(
  '%s over %s, with garbage in each field (C 9)',
  (path, transport, procedure) => {
    test('rejects by the credential, and reads nothing', async () => {
      const at = fixtureOf(path);
      const guard = procedure.guard as GuardName;
      const input = garbageFor(path, transport, procedure);
      const responses: Fields = {};
      const expected: Fields = {};
      const ask = async (who: string, headers: Headers, verdict: string) => {
        responses[who] = inShort(await callOver[transport](at.app, procedure, { input, headers }));
        expected[who] = verdict;
      };
      for (const [who, { kind, headers }] of Object.entries(strangers)) {
        const verdict = verdictOf(guard, kind);
        const isOperators = verdict === '403 tenant provisioning is operator-only';
        if (/^40[13]/.test(verdict))
          await ask(who, headers(at), (isOperators && probes[path]?.operatorOnly) || verdict);
      }
      const { scopes: allowing } = procedure;
      for (const scope of scopes)
        if (allowing && !allowing.includes(scope))
          await ask(
            `a key for ${scope}`,
            (keys.get(at) as Record<Scope, Headers>)[scope],
            `403 this API key lacks the scope ${allowing.join(' or ')}`,
          );
      expect(responses).toEqual(expected);
      expect(parsed).toBe(0);
    });
  },
);

test.each(cases.filter(([path]) => inputFirst.includes(path)))(
  '%s over %s checks the input first (B 4.1), but the scope of a key before it',
  async (path, transport, procedure) => {
    const input = garbageFor(path, transport, procedure);
    const headers = (keys.get(fixture) as Record<Scope, Headers>).read;
    const by = async (headers: Headers) =>
      inShort(await callOver[transport](fixture.app, procedure, { input, headers }));
    expect(await by({})).toMatch(/^4(00|22) /);
    expect(await by(headers)).toBe('403 this API key lacks the scope translate');
  },
);

/** Begins a request with a body that never arrives, and returns its response. */
async function beginBody(
  address: string,
  transport: Transport,
  { path, route }: DefinedProcedure,
  headers: Record<string, string | number>,
  begun: string,
) {
  const url = transport === '/trpc' ? `/trpc/${path}` : (route?.path ?? '').replaceAll(/\{\w+\}/g, 'f');
  const method = transport === '/trpc' ? 'POST' : route?.method;
  const sent = request(`${address}${url}`, { method, headers, agent: false }).on('error', () => {});
  if (begun) sent.write(begun);
  else sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  sent.destroy();
  return response.statusCode;
}

const withBody = cases.filter(
  ([, transport, { route }]) => transport === '/trpc' || !['GET', 'DELETE'].includes(route?.method ?? ''),
);

test.each(withBody)(
  '%s over %s rejects a large body without reading it',
  async (path, transport, procedure) => {
    const { address } = fixtureOf(path).app;
    const bytes = inputFirst.includes(path) ? 102_401 : 100_000;
    const begin = (headers: Record<string, string | number>, begun = '') =>
      beginBody(address, transport, procedure, headers, begun);
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain'])
      expect(await begin({ 'content-type': type, 'content-length': bytes })).toBe(401);
    const json = { 'content-type': 'application/json' };
    expect(await begin({ ...json, 'content-length': bytes, 'x-api-key': 'nobody-0123456789' })).toBe(401);
    const lacking = scopes.find((scope) => !procedure.scopes?.includes(scope));
    const key = keys.get(fixtureOf(path))?.[lacking as Scope];
    if (procedure.scopes) expect(await begin({ ...json, 'content-length': bytes, ...key })).toBe(403);
    const undeclared = { ...json, 'transfer-encoding': 'chunked' };
    expect(await begin(undeclared, 'x'.repeat(inputFirst.includes(path) ? bytes : 2000))).toBe(401);
    expect(parsed).toBe(0);
  },
);

test.each(withBody)(
  '%s over %s rejects a body that it cannot read by the credential first (C 9)',
  async (path, transport, procedure) => {
    const { address } = fixtureOf(path).app;
    const begin = (headers: Record<string, string | number>) =>
      beginBody(address, transport, procedure, { 'content-length': 100, ...headers }, '');
    expect(await begin({ 'content-type': 'application/json', 'content-encoding': 'gzip' })).toBe(401);
    // At this path the form may have a file, so the form is read first.
    if (transport === 'REST' && inputFirst.includes(path)) return;
    expect(await begin({ 'content-type': 'multipart/form-data; boundary=x' })).toBe(401);
  },
);

test('all procedures of one method and path have the same guard: it decides before the body selects one', () => {
  const byAddress = Map.groupBy(
    procedures.filter(({ route }) => route),
    ({ route }) => `${route?.method} ${route?.path}`,
  );
  for (const [address, sharing] of byAddress)
    expect([address, new Set(sharing.map(({ guard, scopes }) => `${guard} ${scopes}`)).size]).toEqual([
      address,
      1,
    ]);
});
