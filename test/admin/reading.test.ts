import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { env, operateHere, outputOf, startCommand } from './command.ts';

const app = useTestApp({ env });

const parsed = (args: string[]) => outputOf(app, args);

describe('tenants', () => {
  test('lists every tenant once, newest first, with the active administrators', async () => {
    const founder = await found(app, { tenant_name: 'Acme' });
    const second = await join(app, founder, 'global_administrator');
    await join(app, founder);
    const revoked = await join(app, founder, 'global_administrator');
    const sql = openSuperuser(app.superuserUrl);
    await sql`update users set active = false where user_id = ${revoked.userId}`;
    await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit, created_at)
      select lpad(n::text, 32, '0'), 'Tenant ' || n, 'abcdefgh', n, now() - interval '1 day' * n from generate_series(1, 250) n`;
    await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
      values ('default', 'default', '', 5)`;

    const listed = await parsed(['tenants']);
    expect(listed[0]).toEqual({
      id: founder.tenantId,
      name: 'Acme',
      active: true,
      api_key_prefix: expect.stringMatching(/^[\w-]{8}$/),
      monthly_char_limit: 500_000,
      administrators: [founder.email, second.email],
      administrators_total: 2,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(listed.slice(1).map(({ name }) => name)).toEqual(
      Array.from({ length: 250 }, (_, n) => `Tenant ${n + 1}`),
    );
    expect(listed[250]).toMatchObject({ administrators: [], administrators_total: 0 });

    const lines = await operateHere(app, ['tenants']);
    expect(lines[0]).toMatch(
      /^id +name +api_key_prefix +monthly_char_limit +active +created_at +administrators +/,
    );
    expect(lines[1]).toMatch(
      new RegExp(`^${founder.tenantId}  Acme .* 500000  true .* ${founder.email}, ${second.email} +2$`),
    );
    expect(lines).toHaveLength(252);
  });

  test('a name cannot forge a line or send control characters to the terminal', async () => {
    const name = 'x\n\u001b[2J\t\u202ey\u009b';
    const { tenantId } = await found(app);
    const sql = openSuperuser(app.superuserUrl);
    await sql`update tenants set name = ${name} where tenant_id = ${tenantId}`;
    const line = (await operateHere(app, ['tenants'])).find((text) => text.startsWith(tenantId));
    expect(line).toContain('  x\\u000a\\u001b[2J\\u0009\\u202ey\\u009b  ');
    const rotated = await operateHere(app, ['rotate-key', tenantId]);
    const listed = await operateHere(app, ['tenants', '--json']);
    const json = listed.find((text) => text.includes(tenantId)) as string;
    expect(JSON.parse(json).name).toBe(name);
    const printed = [line, ...rotated, json].join('');
    for (const character of ['\u001b', '\u009b', '\u202e']) expect(printed).not.toContain(character);
  });
});

describe('audit', () => {
  const addEvents = (tenantId: string, count: number) => openSuperuser(app.superuserUrl)`
    insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind, target, details)
    select ${tenantId}, lpad(n::text, 32, '0'), timestamptz '2020-01-01' + interval '1 ms' * (n / 3),
      case when n % 2 = 0 then 'signed_in' else 'signed_out' end, 'anonymous', n::text, '{"n": 1}'
    from generate_series(1, ${count}) n`;
  const targets = (events: { target: string }[]) => events.map(({ target }) => Number(target));
  const downFrom = (n: number, count: number) => Array.from({ length: count }, (_, i) => n - i);

  test('reads newest first, over pages, without gaps or repeats; 50 unless asked for more', async () => {
    await addEvents('pages', 450);
    const about = ['audit', '--tenant', 'pages'];
    expect(targets(await parsed(about))).toEqual(downFrom(450, 50));
    expect(targets(await parsed([...about, '--limit', '401']))).toEqual(downFrom(450, 401));
    expect(targets(await parsed([...about, '--limit', '9999']))).toEqual(downFrom(450, 450));
  });

  test('ends quietly when its reader closes the pipe', async () => {
    await addEvents('enough', 450);
    const { child, ended } = startCommand({ DATABASE_URL: app.databaseUrl }, [
      'audit',
      '--limit',
      '450',
      '--json',
    ]);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
  });

  test('--action, --since and --until narrow it', async () => {
    const { tenantId } = await found(app);
    await addEvents(tenantId, 30);
    const about = ['audit', '--tenant', tenantId];
    const signedIn = targets(await parsed([...about, '--action', 'signed_in', '--until', '2021-01-01']));
    expect(signedIn).toEqual(downFrom(30, 30).filter((n) => n % 2 === 0));
    const window = ['--since', '2020-01-01T00:00:00.002Z', '--until', '2020-01-01T01:00:00.004+01:00'];
    expect(targets(await parsed([...about, ...window]))).toEqual([11, 10, 9, 8, 7, 6]);
    expect(await parsed([...about, '--since', '9999-01-01'])).toEqual([]);
  });

  test("without --tenant it reads all tenants and entries without one; '' reads only those", async () => {
    await addEvents('', 3);
    const founder = await found(app);
    const none = await parsed(['audit', '--tenant', '']);
    expect(targets(none)).toEqual([3, 2, 1]);
    expect(none[0]).toEqual({
      recorded_at: '2020-01-01T00:00:00.001Z',
      event_id: '3'.padStart(32, '0'),
      tenant_id: null,
      action: 'signed_out',
      actor_kind: 'anonymous',
      actor_id: null,
      target: '3',
      address: null,
      request_id: null,
      details: { n: 1 },
    });
    const everything = await parsed(['audit', '--limit', '5000']);
    expect(everything[0]).toMatchObject({ tenant_id: founder.tenantId, actor_id: founder.userId });
    expect(everything.filter(({ tenant_id }) => tenant_id === null)).toEqual(none);
  });

  test('a line says who did what to what, from where, in which request', async () => {
    const founder = await found(app);
    await operateHere(app, ['set-allowance', founder.tenantId, '7']);
    const [, changed, ...earlier] = await operateHere(app, ['audit', '--tenant', founder.tenantId]);
    const columns = [founder.tenantId, 'allowance_changed', 'server', '-', founder.tenantId, '-', '-'];
    expect(changed?.split(/ {2,}/).slice(2)).toEqual([...columns, '{"to":7,"from":500000}']);
    const founding = earlier.find((line) => line.includes('tenant_founded'))?.split(/ {2,}/);
    expect(founding?.slice(4, 8)).toEqual(['member', founder.userId, founder.tenantId, '127.0.0.1']);
    expect(founding?.[8]).toMatch(/^[\w-]{8,}$/);
  });
});
