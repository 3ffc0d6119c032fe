import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LinguaLoop, LinguaLoopError } from '#sdk/index.ts';
import { clientOf, ended, errorOf, password, sharedStore } from '#test/sdk/sign-in-recorder.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startDatabaseRelay } from '#test/setup/database-relay.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';

/** How long the service is without its database. */
const outageSeconds = Number(process.env['OUTAGE_SECONDS'] ?? 1);

const people = 10;

test(`no session ends by ${outageSeconds} s without PostgreSQL, though every refresh was committed and its response lost`, async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const relay = await startDatabaseRelay(database.url);
  onTestFinished(() => relay.close());
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-outage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const service = await startService(
    {
      DATABASE_URL: relay.url,
      DATA_DIR: folder,
      SECRETS_KEY: secretsKey,
      LOG_LEVEL: 'silent',
      AUTH_RATE_LIMIT_ENABLED: 'false',
    },
    'server/main.ts',
    ['--api-only'],
  );
  onTestFinished(async () => void (await service.stop()));
  const sql = openSuperuser(database.superuserUrl);
  const { signUp, json } = connect(service.address);

  const sessions: { client: LinguaLoop; store: ReturnType<typeof sharedStore> }[] = [];
  for (let n = 0; n < people; n += 1) {
    const email = `kept${n}@example.org`;
    await signUp({ email, password });
    const store = sharedStore();
    const client = clientOf(service.address, { tokens: store, maxRetries: 0 });
    store.tokens = ended(await client.auth.signIn({ email, password }));
    sessions.push({ client, store });
  }
  // The same person in the web application, whose page keeps the retry key and whose cookie keeps the token.
  const inBrowser = await json('POST', '/signin/token', {
    body: { grant_type: 'password', username: 'kept0@example.org', password },
  });
  const cookie = /ll_refresh=[^;]+/.exec(inBrowser.headers.getSetCookie().join())?.[0] ?? '';
  const retry_key = crypto.randomUUID();
  const renewInBrowser = () => json('POST', '/signin/refresh', { headers: { cookie }, body: { retry_key } });
  const used = async () =>
    (await sql`select 1 from tokens where kind = 'refresh_token' and retry_key_hash is not null`).length;

  relay.loseCommits();
  const failed = await Promise.all([
    ...sessions.map(({ client }) => errorOf(client.auth.me())),
    renewInBrowser().then(({ status }) => ({ status })),
  ]);
  for (const { status } of failed) expect([null, 500, 503]).toContain(status);
  expect(await used()).toBe(people + 1);
  relay.cut();
  const until = Date.now() + outageSeconds * 1000;
  while (Date.now() < until) {
    const errors = await Promise.all(sessions.map(({ client }) => errorOf(client.auth.me())));
    for (const error of errors) expect(error).toBeInstanceOf(LinguaLoopError);
    for (const error of errors) expect([null, 503]).toContain(error['status']);
    expect((await renewInBrowser()).status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  // A shorter outage than a minute still has to be later than the grace period of 10 s.
  await sql`update tokens set consumed_at = consumed_at - interval '60 seconds'
    where consumed_at > to_timestamp(0)`;
  relay.heal();
  await poll(async () => (await fetch(`${service.address}/readyz`)).ok, 30);

  const seen = await Promise.all(sessions.map(({ client }) => client.auth.me()));
  expect(seen.map(({ user }) => user.email)).toEqual(sessions.map((_, n) => `kept${n}@example.org`));
  expect((await renewInBrowser()).status).toBe(200);
  expect(
    await sql`select 1 from audit_log where action in ('refresh_token_reused', 'session_ended')`,
  ).toHaveLength(0);
}, 180_000);
