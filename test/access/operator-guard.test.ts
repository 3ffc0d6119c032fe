import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

type Headers = Record<string, string>;
const endpoints: [string, (body: unknown, headers?: Headers) => ReturnType<typeof app.json>][] = [
  ['REST', (body, headers = {}) => app.json('POST', '/api/tenants', { body, headers })],
  [
    'tRPC',
    (body, headers = {}) =>
      app.json('POST', '/trpc/tenants.create', { body: superjson.serialize(body), headers }),
  ],
];

describe.each(endpoints)(
  'A 5.2, Platform operator, by %s: the caller is refused before the input is validated',
  (_, ask) => {
    test.each([
      ['without a name', {}],
      ['with a name that is none', { name: 5 }],
      ['with what cannot be stored', { name: 'a\u0000b' }],
      ['with a limit that is none', { name: 'x', monthly_char_limit: 'many' }],
    ])('%s', async (_bad, body) => {
      expect((await ask(body)).status).toBe(401);
      expect((await ask(body, { authorization: 'Bearer wrong' })).status).toBe(401);
      expect((await ask(body, { 'x-api-key': 'wrong' })).status).toBe(401);
      for (const { bearer } of [member, admin]) expect((await ask(body, bearer)).status).toBe(403);
      for (const headers of [operator, { ...operator, ...member.bearer }])
        expect((await ask(body, headers)).status).toBe(422);
    });
  },
);

test('the refusals are the same as for a valid request', async () => {
  const ask = async (headers: Headers, body: unknown) =>
    (await app.json('POST', '/api/tenants', { body, headers })).body;
  for (const headers of [{}, member.bearer, admin.bearer])
    expect(await ask(headers, {})).toEqual(await ask(headers, { name: 'x' }));
  expect(await ask(admin.bearer, {})).toEqual({ detail: 'tenant provisioning is operator-only' });
});
