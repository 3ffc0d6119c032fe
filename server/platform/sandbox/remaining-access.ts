import type { Isolation } from './isolation.ts';

const files = ['read a file', 'write a file', 'run a program'];
const memory = ['read the environment of the service', 'reopen a file that the service has open'];
const signal = 'send the service a signal';

const withoutNamespaces = [...files, ...['connect to a Unix socket', 'connect by TCP'], ...memory, signal];

/**
 * What code can still do after it has broken out of Node's restrictions, for which it needs a bug in Node or V8. The
 * permissions of the child's user still limit the code. If that is not the user of the service, the processes of the
 * service are closed to it. docs/security.md has the same table.
 */
export function remainingAccess({
  level,
  asReader = false,
}: Pick<Isolation, 'level' | 'asReader'>): readonly string[] {
  if (level === 'namespaces') return [];
  return withoutNamespaces.filter((access) => !asReader || (access !== signal && !memory.includes(access)));
}
