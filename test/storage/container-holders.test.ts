import { beforeEach, describe, expect, test } from 'vitest';
import { openDataLake } from '#server/platform/stores/data-lake.ts';
import { openSession } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({ accountTimes: impatient });

/** `first` binds the container first; `second` then binds the same container. */
let first: Bound;
let second: Bound;
beforeEach(async () => {
  first = await openBound(app, account);
  second = await openBound(app, account);
  await first.connect();
});

const container = () => account.lake.files(account.name, first.filesystem);
/** Writes the file with the owners' IDs, which only the owner of the container can do. */
const nameOwners = (...ids: string[]) =>
  openDataLake(
    { accountUrl: account.address.accountUrl, filesystem: first.filesystem },
    account.credentials.sas,
    { endpointOverride: account.lake.url },
  ).put('lingualoop-workspace/owners.txt', ids.join('\r\n'));
const bindTheSame = (fields = {}) => second.bind({ filesystem: first.filesystem, ...fields });
const statusOf = async (bound: Bound) => (await bound.binding()).body.status;
const translate = ({ headers }: Bound) =>
  app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });

const message = () =>
  `another workspace uses this container. If the container is yours, add an object lingualoop-workspace/owners.txt with the line ${second.tenantId} to it, and verify again`;

describe('a container that a workspace has verified', () => {
  test('is closed to another workspace, which is told how to prove that it owns it; nothing is written there', async () => {
    const before = [...container().keys()];
    expect((await bindTheSame()).body).toMatchObject({ status: 'unverified' });
    expect(await second.verify()).toMatchObject({
      status: 200,
      body: { status: 'error', last_error: message() },
    });
    expect([...container().keys()]).toEqual(before);
    expect((await translate(second)).status).toBe(409);
    expect(await statusOf(first)).toBe('verified');
  });

  test('stays closed under other prefixes, another mode, and while its workspace edits its binding', async () => {
    await first.bind({ prefixes: { golden: 'elsewhere/' } });
    expect(await statusOf(first)).toBe('unverified');
    await bindTheSame({
      auth_mode: 'connection_string',
      secret: account.credentials.connection_string.connectionString,
      prefixes: { golden: 'other/', documents: 'files/' },
    });
    expect((await second.verify()).body.last_error).toBe(message());
    expect((await first.verify()).body.status).toBe('verified');
  });

  test('opens to the workspace that its owner names, and closes to the one that squatted it', async () => {
    await bindTheSame();
    await nameOwners(second.tenantId);
    expect((await second.verify()).body).toMatchObject({ status: 'verified', last_error: null });
    expect((await first.binding()).body).toMatchObject({
      status: 'error',
      last_error: expect.stringContaining('lingualoop-workspace/owners.txt'),
    });
    expect((await translate(first)).status).toBe(409);
    expect((await first.verify()).body.status).toBe('error');
    expect((await translate(second)).body.status).toBe('published');
    expect(await eventsOf(app, first.tenantId, 'storage_binding_displaced')).toMatchObject([
      { actor: 'server', details: { filesystem: first.filesystem } },
    ]);
  });

  test('is shared by workspaces that its owner names both', async () => {
    await bindTheSame();
    await nameOwners(first.tenantId, ` ${second.tenantId} `, '');
    expect((await second.verify()).body.status).toBe('verified');
    expect(await statusOf(first)).toBe('verified');
    expect((await first.verify()).body.status).toBe('verified');
  });

  test('cannot be proven by what the service itself writes: no prefix leads to that object', async () => {
    for (const golden of ['lingualoop-workspace/', 'LinguaLoop-Workspace/deeper'])
      expect(await bindTheSame({ prefixes: { golden } })).toMatchObject({
        status: 422,
        body: {
          detail: expect.stringMatching(/^prefixes.golden must not start with lingualoop-workspace\//),
        },
      });
  });

  test('is free again when its workspace leaves it, by either way', async () => {
    await bindTheSame();
    await first.unbind();
    expect((await second.verify()).body.status).toBe('verified');
    const third = await openBound(app, account);
    await third.bind({ filesystem: first.filesystem });
    await second.bind();
    expect((await third.verify()).body.status).toBe('verified');
  });

  test('is not held by a binding that was never verified', async () => {
    const squatter = await openBound(app, account);
    const late = await openBound(app, account);
    await squatter.bind({ filesystem: late.filesystem });
    await late.connect();
    expect((await squatter.verify()).body.status).toBe('error');
  });

  test('of several workspaces that verify it at once, one holds it', async () => {
    const rivals = [
      await openBound(app, account),
      await openBound(app, account),
      await openBound(app, account),
    ];
    const { filesystem } = rivals[0]!;
    await Promise.all(rivals.map((rival) => rival.bind({ filesystem })));
    const answers = await Promise.all(rivals.map((rival) => rival.verify()));
    expect(answers.map(({ body }) => body.status).toSorted()).toEqual(['error', 'error', 'verified']);
  });

  test('goes to its owner while the workspace that squats it verifies it again', async () => {
    const sql = openSession(app.superuserUrl);
    const lock = `container ${account.address.accountUrl}/${first.filesystem}`;
    const waiting = async () =>
      (await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`).length;
    await bindTheSame();
    await nameOwners(second.tenantId);
    await sql`select pg_advisory_lock(hashtextextended(${lock}, 0))`;
    const taken = second.verify();
    await expect.poll(waiting).toBe(1);
    const again = first.verify();
    await expect.poll(waiting).toBe(2);
    await sql`select pg_advisory_unlock_all()`;
    expect(await taken).toMatchObject({ status: 200, body: { status: 'verified' } });
    expect(await again).toMatchObject({ status: 200, body: { status: 'error' } });
  });
});
