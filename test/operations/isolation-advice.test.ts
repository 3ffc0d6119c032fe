import { expect, test } from 'vitest';
import { summary } from '#server/commands/doctor/finding.ts';
import { judgeIsolation, type System } from '#server/commands/doctor/isolation.ts';
import {
  CurrentIsolation,
  type FoundIsolation,
  type IsolationLevel,
} from '#server/platform/sandbox/isolation.ts';

const system = (files: Record<string, string>, user = 1000): System => ({
  platform: 'linux',
  user,
  read: async (path) => files[path],
});
const anyLevel = { SANDBOX_MINIMUM: 'node' } as const;

test('the last line of the doctor counts warnings', () => {
  expect(summary({ ok: 3, warn: 0, fail: 0 })).toBe('All checks passed.');
  expect(summary({ ok: 3, warn: 1, fail: 0 })).toBe('No check has failed, 1 warning.');
  expect(summary({ ok: 0, warn: 2, fail: 1 })).toBe('1 check has failed, 2 warnings.');
  expect(summary({ ok: 0, warn: 0, fail: 2 })).toBe('2 checks have failed.');
});

test.each([
  ['a container', { '/proc/self/status': 'Seccomp:\t2\n' }, 'docker/seccomp.json'],
  ['AppArmor', { '/proc/self/attr/current': 'docker-default (enforce)' }, 'docker/apparmor'],
  [
    'Ubuntu',
    { '/proc/sys/kernel/apparmor_restrict_unprivileged_userns': '1' },
    'apparmor_restrict_unprivileged_userns=0',
  ],
  ['no user namespaces', { '/proc/sys/user/max_user_namespaces': '0' }, 'user.max_user_namespaces=10000'],
  ['an old Debian', { '/proc/sys/kernel/unprivileged_userns_clone': '0' }, 'unprivileged_userns_clone=1'],
  ['missing programs', {}, 'util-linux'],
])('the doctor prints the level, and what would raise it: %s', async (_, files, advice) => {
  const [finding, ...more] = await judgeIsolation({ level: 'node' }, anyLevel, system(files));
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ state: 'warn', advice: expect.stringContaining(advice) });
  expect(finding?.message).toContain('isolated at level "node"');
});

test('the doctor finds nothing at the strongest level, warns if readers are root, and fails below the minimum', async () => {
  const judge = async (
    isolation: { level: IsolationLevel; asReader?: boolean },
    user: number,
    minimum: { SANDBOX_MINIMUM: IsolationLevel } = anyLevel,
  ) => (await judgeIsolation(isolation, minimum, system({}, user))).map(({ state }) => state);
  expect(await judge({ level: 'namespaces' }, 1000)).toEqual(['ok']);
  expect(await judge({ level: 'namespaces', asReader: true }, 0)).toEqual(['ok']);
  expect(await judge({ level: 'namespaces' }, 0)).toEqual(['warn']);
  expect(await judge({ level: 'node' }, 1000, { SANDBOX_MINIMUM: 'namespaces' })).toEqual(['fail']);
  expect(await judge({ level: 'node' }, 1000)).toEqual(['warn']);
});

test('isolation below the minimum is refused at the start, and is not used later', async () => {
  const found = (level: IsolationLevel): FoundIsolation => ({
    ...{ level, nested: false, incomplete: false },
    command: ({ node }) => [node],
  });
  let level: IsolationLevel = 'node';
  const isolation = new CurrentIsolation(async () => found(level));
  await expect(isolation.require('namespaces')).rejects.toThrow(
    'SANDBOX_MINIMUM: this system isolates file readers only at level "node", and "namespaces" is required: npm run doctor prints what raises the level',
  );
  level = 'namespaces';
  isolation.redetect();
  await isolation.require('namespaces');
  level = 'node';
  isolation.redetect();
  expect((await isolation.get()).level).toBe('namespaces');
});
