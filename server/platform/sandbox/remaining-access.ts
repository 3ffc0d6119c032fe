import type { IsolationLevel } from './isolation.ts';

const files = ['read a file', 'write a file', 'run a program'];
const memory = ['read the environment of the service', 'reopen a file that the service has open'];
const signal = 'send the service a signal';

/**
 * For each level, what code can still do after it has broken out of Node's restrictions, for which it needs a bug in
 * Node or V8. The permissions of the service's user still limit the code. docs/security.md has the same table.
 */
export const remainingAccess: Record<IsolationLevel, readonly string[]> = {
  namespaces: [],
  network: [...files, 'connect to a Unix socket', signal],
  seccomp: [...files, ...memory, signal],
  node: [...files, 'connect to a Unix socket', 'connect by TCP', ...memory, signal],
};
