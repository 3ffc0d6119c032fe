import { beforeEach, expect, test } from 'vitest';
import { addMember } from '#server/identity/members/members.ts';
import { env, found, join, type Person, revoke } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';

/* `members.colleagues`: the members whom a comment can mention. */

const app = useTestApp({ env });

let founder: Person;
beforeEach(async () => {
  founder = await found(app);
});

const colleagues = async (as: Pick<Person, 'bearer'>, search?: string) => {
  const input = search === undefined ? {} : { search };
  return viaRpc(app, { path: 'members.colleagues', type: 'query' }, { input, headers: as.bearer });
};

/** The names that a member finds. */
const namesFor = async (as: Person, search?: string) => {
  const { status, body } = await colleagues(as, search);
  expect(status).toBe(200);
  return (body.colleagues as { name: string }[]).map(({ name }) => name);
};

/** Adds a member who has no session. */
const add = (userId: string, email = `${userId}@example.org`) =>
  app.database.inTenant(founder.tenantId, (tx) =>
    addMember(tx, {
      tenantId: founder.tenantId,
      userId,
      email,
      provider: 'email',
      role: 'agent_id_developer',
      passwordHash: null,
    }),
  );

test('a member who is not an administrator sees id and name of the others, and nothing else', async () => {
  const member = await join(app, founder);
  expect((await colleagues(member)).body).toEqual({
    colleagues: [{ user_id: founder.userId, name: founder.email }],
  });
});

test('a revoked member is not found, and finds no one', async () => {
  const member = await join(app, founder);
  await revoke(app, founder, member);
  expect(await namesFor(founder)).toEqual([]);
  expect((await colleagues(member)).status).toBe(401);
});

test('the search finds any part of an address, in any case, and takes no character as a wildcard', async () => {
  for (const name of ['anna_b', 'annaxb', 'bert']) await add(name);
  expect(await namesFor(founder, 'ANNA')).toEqual(['anna_b@example.org', 'annaxb@example.org']);
  expect(await namesFor(founder, 'a_b')).toEqual(['anna_b@example.org']);
  expect(await namesFor(founder, '%')).toEqual([]);
});

test('returns at most 20, in the order of their names; a longer search text is rejected', async () => {
  for (let at = 30; at > 0; at--) await add(`member-${100 + at}`);
  const names = await namesFor(founder, 'member-');
  expect(names).toHaveLength(20);
  expect(names[0]).toBe('member-101@example.org');
  expect(names).toEqual(names.toSorted());
  expect((await colleagues(founder, 'a'.repeat(321))).status).toBe(422);
});
