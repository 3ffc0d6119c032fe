import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  openAsBlob,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import inspector from 'node:inspector';
import { createRequire, register } from 'node:module';
import { connect, Socket } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WASI } from 'node:wasi';
import { Worker } from 'node:worker_threads';

/** The targets of code that breaks out of the sandbox, as absolute paths. */
export interface Targets {
  /** A file with a secret in the data directory. */
  secret: string;
  /** A directory whose files the service serves. */
  pages: string;
  unixSocket: string;
  tcpPort: number;
  /** The process ID of the service. */
  service: number;
  /** Files and directories of the system, and of its users, which a child does not need. */
  system: readonly string[];
}

/** The result of each attempt: `open`, or the reason why it failed. */
export type Probed = Record<string, string>;

/** Actions that the kernel must prevent if Node's restrictions do not apply. */
const goals: Record<string, (targets: Targets) => unknown> = {
  'read a file': ({ secret, system }) => {
    // One that can be read is enough: this fails only if all do.
    const opened = [secret, ...system].find((path) => attempt(() => void openSync(path, 'r')));
    if (opened === undefined) throw new Error('none can be read');
  },
  'write a file': ({ pages }) => writeFileSync(`${pages}/written.html`, 'x'),
  'run a program': () => execFileSync('/bin/sh', ['-c', 'true']),
  'connect to a Unix socket': ({ unixSocket }) => connected(connect(unixSocket)),
  'connect by TCP': ({ tcpPort }) => connected(connect(tcpPort, '127.0.0.1')),
  'read the environment of the service': ({ service }) => readFileSync(`/proc/${service}/environ`),
  'reopen a file that the service has open': ({ service }) => {
    const [first] = readdirSync(`/proc/${service}/fd`);
    return readlinkSync(`/proc/${service}/fd/${first}`);
  },
  'send the service a signal': ({ service }) => process.kill(service, 0),
};

function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Attempts to circumvent Node's permissions. */
const ways: Record<string, (targets: Targets) => unknown> = {
  'a file by its URL': ({ secret }) => readFileSync(new URL(`file://${secret}`)),
  'a file as a blob': ({ secret }) => openAsBlob(secret).then((blob) => blob.text()),
  'a file through /proc': ({ secret }) => readFileSync(`/proc/self/root${secret}`),
  'a file from another folder': ({ secret }) => {
    process.chdir(secret.slice(0, secret.lastIndexOf('/')));
    return readFileSync('secrets.key');
  },
  'a file by a link': ({ secret, pages }) => {
    symlinkSync(secret, `${pages}/link`);
    return readFileSync(`${pages}/link`);
  },
  'a file as a module': ({ secret }) => createRequire(import.meta.url)(secret),
  'a file as an environment': ({ secret }) => process.loadEnvFile(secret),
  'a thread with its own options': async ({ secret }) => {
    const code = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync(${JSON.stringify(secret)}))`;
    await once(new Worker(code, { eval: true, execArgv: [] }), 'message');
  },
  'a thread of module hooks': () => register('data:text/javascript,export {}'),
  SQLite: async ({ pages }) => {
    const { DatabaseSync } = await import('node:sqlite');
    new DatabaseSync(`${pages}/written.db`).exec('create table t (c)');
  },
  'SQLite, as a builtin': ({ pages }) => {
    const sqlite = process.getBuiltinModule('node:sqlite');
    if (!sqlite) throw new Error('no such module');
    new sqlite.DatabaseSync(`${pages}/written.db`).exec('create table t (c)');
  },
  'an internal binding': () =>
    (process as unknown as Record<'binding', (name: string) => void>).binding('fs'),
  'native code': () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libm.so.6'),
  'the inspector': () => inspector.open(0),
  'a session of the inspector': () => new inspector.Session().connect(),
  WASI: ({ pages }) => new WASI({ version: 'preview1', preopens: { '/': pages } }),
  'a report': ({ pages }) => process.report.writeReport(`${pages}/report.json`),
  'a heap snapshot': ({ pages }) => writeHeapSnapshot(`${pages}/written.heapsnapshot`),
  'code from a string': () => new Function('return 1')(),
  'the debugger of the service': ({ service }) => debugProcess(service),
  'the priority of the service': ({ service }) => setPriority(service, 19),
  'the handle of a Unix socket': async ({ unixSocket }) => {
    const socket = new Socket({ fd: 3 }) as unknown as {
      _handle: { constructor: new (type: number) => Pipe };
    };
    const handle = new socket._handle.constructor(0);
    const failure = handle.connect({ oncomplete() {} }, unixSocket);
    if (failure) throw new Error(`code ${failure}`);
  },
};

interface Pipe {
  connect(request: object, path: string): number;
}

function debugProcess(pid: number): void {
  const { _debugProcess } = process as unknown as Record<'_debugProcess', (pid: number) => void>;
  _debugProcess(pid);
}

async function connected(socket: Socket): Promise<void> {
  await Promise.race([once(socket, 'connect'), sleep(3000).then(() => Promise.reject(new Error('timeout')))]);
  socket.destroy();
}

async function tryAll(probes: typeof goals, targets: Targets): Promise<Probed> {
  const probed: Probed = {};
  for (const [name, probe] of Object.entries(probes)) {
    try {
      await probe(targets);
      probed[name] = 'open';
    } catch (error) {
      const { code, message } = error as { code?: string; message?: string };
      probed[name] = String(code ?? message);
    }
  }
  return probed;
}

/** Makes all attempts from within a task. */
export async function probeTask(targets: Targets): Promise<Probed> {
  return { ...(await tryAll(goals, targets)), ...(await tryAll(ways, targets)) };
}

/**
 * Lets V8 write a file through its flags, which are not functions that could be removed. If V8 rejects this, the
 * process ends.
 */
export async function writeByFlags({ pages }: Targets): Promise<void> {
  setFlagsFromString('--trace-turbo');
  setFlagsFromString(`--trace-turbo-path=${pages}`);
  runInNewContext('const double = (value) => value * 2; for (let i = 0; i < 1e6; i++) double(i);');
  await sleep(200);
}

// Runs as a separate program, without the restrictions of a task, like code that has circumvented them.
const [, program, given] = process.argv;
if (given?.startsWith('{') && program?.endsWith('probes.ts'))
  console.log(JSON.stringify(await tryAll(goals, JSON.parse(given))));
