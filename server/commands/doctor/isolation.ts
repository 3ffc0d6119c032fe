import { readFile } from 'node:fs/promises';
import { type Isolation, isWeaker, remainingAccess } from '#server/platform/sandbox/isolation.ts';
import type { Settings } from '#server/settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The system's settings for the isolation of processes. */
export interface System {
  platform: NodeJS.Platform;
  user: number | undefined;
  /** Returns the text of a file; undefined if it cannot be read. */
  read(path: string): Promise<string | undefined>;
}

const thisSystem: System = {
  platform: process.platform,
  user: process.geteuid?.(),
  read: (path) =>
    readFile(path, 'utf8').then(
      (text) => text.trim(),
      () => undefined,
    ),
};

/** Returns findings about the level of isolation of file readers: the level, what it leaves, and what would raise it. */
export async function judgeIsolation(
  isolation: Pick<Isolation, 'level' | 'asReader'>,
  { SANDBOX_MINIMUM }: Pick<Settings, 'SANDBOX_MINIMUM'>,
  system = thisSystem,
): Promise<Finding[]> {
  const { level, asReader } = isolation;
  const asRoot = system.user === 0 && !asReader;
  const user = asReader ? ', and run as an unprivileged user' : asRoot ? ', and run as root' : '';
  const message = `files are read in child processes, which are isolated at level "${level}"${user}`;
  const otherUser =
    'start the service as a user other than root, or let other users read its code (chmod -R o+rX)';
  if (level === 'namespaces') return [asRoot ? warn('sandbox', message, otherUser) : ok('sandbox', message)];
  const advice = [...(asRoot ? [otherUser] : []), ...(await waysToRaise(system))].join('; ');
  const left = `${message}: code from a malicious file that escapes the restrictions of Node.js could still: ${remainingAccess(isolation).join(', ')}`;
  return [
    isWeaker(level, SANDBOX_MINIMUM)
      ? fail('sandbox', `${message}, but SANDBOX_MINIMUM is "${SANDBOX_MINIMUM}"`, advice)
      : warn('sandbox', left, advice),
  ];
}

/** Returns what an operator can change on this system so that namespaces work. */
async function waysToRaise({ platform, read }: System): Promise<string[]> {
  if (platform !== 'linux') return ['run the service on Linux'];
  const setting = async (name: string) => read(`/proc/sys/${name.replaceAll('.', '/')}`);
  const status = (await read('/proc/self/status')) ?? '';
  const profile = (await read('/proc/self/attr/current')) ?? 'unconfined';
  const ways = [
    /^Seccomp:\s*2$/m.test(status) &&
      'in a container, use the seccomp profile docker/seccomp.json, as compose.yaml does',
    !/^unconfined|^kernel/.test(profile) &&
      profile !== '' &&
      `the AppArmor or SELinux profile "${profile}" may forbid mounts: use docker/apparmor`,
    (await setting('kernel.apparmor_restrict_unprivileged_userns')) === '1' &&
      'AppArmor restricts user namespaces: load docker/apparmor, or sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    (await setting('kernel.unprivileged_userns_clone')) === '0' &&
      'sysctl kernel.unprivileged_userns_clone=1',
    (await setting('user.max_user_namespaces')) === '0' && 'sysctl user.max_user_namespaces=10000',
  ].filter((way) => way !== false);
  const general = 'install util-linux and coreutils (unshare, setpriv, mount, mkdir, chroot)';
  return ways.length > 0 ? ways : [general];
}
