import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { beforeEach, describe, expect, it } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import {
  crash,
  isRoot,
  isRunning,
  type Joined,
  log,
  member,
  postmaster,
  query,
  serverStarts,
  stopCleanly,
  until,
  useDataFolder,
  usePrepared,
} from './members.ts';

const here = useDataFolder();

describe('a running server', () => {
  beforeEach(usePrepared);

  it('survives SIGKILL to all its members, which no longer count', async () => {
    const victims = [member(), member()];
    await Promise.all(victims.map(({ joined }) => joined));
    const pid = postmaster();
    for (const victim of victims) process.kill(-victim.process.pid!, 'SIGKILL');
    await Promise.all(victims.map(({ exited }) => exited));
    const next = member();
    await next.joined;
    expect([isRunning(pid), postmaster()]).toEqual([true, pid]);
    await next.leave();
    expect(isRunning(pid)).toBe(false);
  });

  it('keeps running for clients that are not members, and says so', async () => {
    const first = member();
    const { url } = await first.joined;
    const stranger = postgres(url, { max: 1 });
    await stranger`select 1`;
    await first.leave();
    expect(await stranger`select 1 as n`).toEqual([{ n: 1 }]);
    expect(first.notices.join()).toContain('other clients');
    await stranger.end();
    await stopCleanly();
    expect(postmaster()).toBeUndefined();
  });

  it('is stopped by one whose connections are closed, though a backend has yet to notice', async () => {
    const db = await joinEmbeddedPostgres(here.dataDir);
    const pid = postmaster();
    const sql = postgres(db.ownerUrl, { max: 20 });
    const sleeping = Array.from({ length: 20 }, () => sql`select pg_sleep(0.2)`.catch(() => {}));
    const busy = `select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
    await until(async () => (await query(db.superuserUrl, busy)).length === 20);
    await sql.end({ timeout: 0 });
    await Promise.all([db.leave(), db.leave(), ...sleeping]);
    await db.leave();
    expect(isRunning(pid)).toBe(false);
  });

  it('is started anew by a process that comes while it is being stopped', async () => {
    const first = member();
    const { superuserUrl } = await first.joined;
    const stopped = postmaster();
    const [row] = await query(
      superuserUrl,
      `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
    );
    process.kill(row!['pid'], 'SIGSTOP');
    first.process.stdin!.write('leave\n');
    await until(() => log().includes('received fast shutdown request'));
    const second = member();
    await until(() => second.notices.some((notice) => notice.includes('starting or stopping')));
    expect(isRunning(first.process.pid)).toBe(true);
    process.kill(row!['pid'], 'SIGCONT');
    expect(await query((await second.joined).url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(await first.exited).toBe(0);
    expect(postmaster()).not.toBe(stopped);
  });

  it('that is killed is brought back by its members at the same address', async () => {
    const all = [member(), member()];
    const [{ url }] = (await Promise.all(all.map(({ joined }) => joined))) as [Joined, Joined];
    const killed = postmaster()!;
    process.kill(killed, 'SIGKILL');
    await until(() =>
      all.every(({ notices }) => notices.some((notice) => notice.includes('is running again'))),
    );
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(postmaster()).not.toBe(killed);
    await all[0]!.leave();
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await all[1]!.leave();
    expect(postmaster()).toBeUndefined();
  });

  it('is not taken for the server of a copy of its folder', async () => {
    const { url } = await member().joined;
    const copy = join(here.base, 'copy');
    execFileSync('cp', ['-R', here.dataDir, copy]);
    const other = await member(copy).joined;
    expect(new URL(other.url).port).not.toBe(new URL(url).port);
    await query(other.url, 'create table only_in_the_copy (n int)');
    const [original] = await query(url, `select to_regclass('only_in_the_copy') as found`);
    expect(original).toEqual({ found: null });
  });
});

describe('after a crash', () => {
  beforeEach(usePrepared);

  it('of everything at once, an immediate start has what was committed, even while a backend lingers', async () => {
    const { url } = await member().joined;
    await query(url, 'create table kept as select 42 as n');
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const lingering = sql`select count(*) from generate_series(1, 10000000)`.catch(() => {});
    await until(
      async () =>
        (await query(url, `select 1 from pg_stat_activity where query like '%10000000)'`)).length > 0,
    );
    await crash({ backends: false });
    const next = member();
    expect(await query((await next.joined).url, 'select n from kept')).toEqual([{ n: 42 }]);
    // If this fails, the backend ended too early to delay the start.
    expect(log()).toContain('still in use');
    await Promise.all([sql.end({ timeout: 0 }), lingering]);
  });

  it('the start waits for a recovery that takes seconds, and says so', async () => {
    const { url } = await member().joined;
    await query(url, 'create table kept as select 42 as n');
    await crash({ backends: true });
    const cluster = join(here.dataDir, 'postgres');
    fs.appendFileSync(
      join(cluster, 'postgresql.auto.conf'),
      `restore_command = 'sleep 0.75; false'\nhot_standby = off\n`,
    );
    fs.writeFileSync(join(cluster, 'recovery.signal'), '');
    const both = [member(), member()];
    const joined = await Promise.all(both.map((next) => next.joined));
    expect(Math.max(...joined.map(({ ms }) => ms))).toBeGreaterThan(2000);
    expect(await query(joined[1]!.url, 'select n from kept')).toEqual([{ n: 42 }]);
    expect(both.map(({ notices }) => notices.join())).toEqual([
      expect.stringContaining('Waiting for'),
      expect.stringContaining('Waiting for'),
    ]);
    expect(serverStarts()).toBe(2);
  });

  it.each(['', '\n/elsewhere\n1700000000\n5432\n\n127.0.0.1\n  1234  5678\nready   \n'])(
    'postmaster.pid may be empty or name a process that is another program now (%j)',
    async (rest) => {
      const { uid, gid } = fs.statSync(join(here.dataDir, 'postgres'));
      const other = spawn('sleep', ['60'], isRoot ? { uid, gid } : {});
      const pidFile = join(here.dataDir, 'postgres/postmaster.pid');
      fs.writeFileSync(pidFile, rest && `${other.pid}${rest}`);
      fs.chownSync(pidFile, uid, gid);
      fs.utimesSync(pidFile, 1700000000, 1700000000);
      try {
        await member().joined;
        expect(isRunning(other.pid)).toBe(true);
      } finally {
        other.kill();
      }
    },
  );

  it('a port that another program took meanwhile is replaced', async () => {
    const { port } = JSON.parse(fs.readFileSync(join(here.dataDir, 'postgres.json'), 'utf8'));
    const squatter = createServer().listen(port, '127.0.0.1');
    try {
      await once(squatter, 'listening');
      const { url } = await member().joined;
      expect(new URL(url).port).not.toBe(String(port));
      expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }]);
    } finally {
      squatter.close();
    }
  });
});
