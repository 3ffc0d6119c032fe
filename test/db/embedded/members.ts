import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';

export const repository = join(import.meta.dirname, '../../..');
export const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

export interface Joined {
  readonly url: string;
  readonly superuserUrl: string;
  readonly ms: number;
}

/** A process that uses the embedded PostgreSQL, or is about to. */
interface Member {
  readonly process: ChildProcess;
  readonly joined: Promise<Joined>;
  readonly notices: string[];
  /** Resolves to the exit code, or to null if a signal ended the process. */
  readonly exited: Promise<number | null>;
  leave(): Promise<void>;
}

interface MemberOptions {
  /** The root directory of the clone of the repository whose code runs. */
  readonly clone?: string;
  /** The command through which the process is started. */
  readonly via?: readonly string[];
  readonly cwd?: string;
  /** Code that runs before that of the service. */
  readonly before?: string;
  readonly body?: string;
}

const joinAndLeave = `
  const began = performance.now();
  const db = await joinEmbeddedPostgres(dataDir, { onNotice: (notice) => say({ notice }) });
  say({ joined: { url: db.ownerUrl, superuserUrl: db.superuserUrl, ms: Math.round(performance.now() - began) } });
  for await (const line of process.stdin) break;
  await db.leave();`;

let base: string;
let dataDir: string;
let members: Member[];
/** A data directory of a server that was stopped. */
let prepared: string;

/**
 * Creates a directory for each test that can contain a data directory. After the test, all processes in it are ended.
 */
export function useDataFolder() {
  beforeAll(async () => {
    prepared = join(temporaryFolder(), 'data');
    await (await joinEmbeddedPostgres(prepared)).leave();
    fs.rmSync(join(prepared, 'postgres.log'));
  });

  afterAll(() => fs.rmSync(dirname(prepared), { recursive: true }));

  beforeEach(() => {
    base = temporaryFolder();
    dataDir = join(base, 'data');
    members = [];
  });

  afterEach(async () => {
    for (const member of members) member.process.kill('SIGKILL');
    await Promise.all(members.map((member) => member.exited));
    for (const folder of fs.readdirSync(base)) {
      const pid = postmaster(join(base, folder));
      if (isRunning(pid)) process.kill(pid!, 'SIGQUIT');
      await until(() => !isRunning(pid));
    }
    fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  });

  return {
    get base() {
      return base;
    },
    get dataDir() {
      return dataDir;
    },
    set dataDir(folder: string) {
      dataDir = folder;
    },
  };
}

/** Creates a directory to which all users have access. Its name needs quoting. */
function temporaryFolder(): string {
  const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'lingualoop embedded ü '));
  fs.chmodSync(folder, 0o755);
  return folder;
}

/** From now on, the data directory of a test is one that was used before. */
export function usePrepared(): void {
  execFileSync('cp', ['-a', prepared, dataDir]);
}

export function entryOf(clone: string): string {
  return pathToFileURL(join(clone, 'db/embedded/index.ts')).href;
}

export function member(folder = dataDir, options: MemberOptions = {}): Member {
  const { clone = repository, via = [], cwd = base, before = '', body = joinAndLeave } = options;
  const script = `
    ${before}
    const [, entry, driver, dataDir] = process.argv;
    const say = (message) => console.log(JSON.stringify(message));
    try {
      const { joinEmbeddedPostgres } = await import(entry);
      ${body}
    } catch (error) {
      say({ failed: error.message });
      process.exitCode = 1;
    }`;
  const driver = pathToFileURL(createRequire(import.meta.url).resolve('postgres')).href;
  const [file, ...args] = [
    ...via,
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    entryOf(clone),
    driver,
    folder,
  ];
  // The process gets its own process group, like a process that is started in a terminal.
  const child = spawn(file!, args, { cwd, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const joined = Promise.withResolvers<Joined>();
  joined.promise.catch(() => {});
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const notices: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.joined) joined.resolve(message.joined);
      if (message.failed) joined.reject(new Error(message.failed));
      if (message.notice) notices.push(message.notice);
    }
  });
  child.on('close', (code) => joined.reject(new Error(`ended with ${code} before it joined`)));
  child.stdin.on('error', () => {});
  const leave = async () => {
    child.stdin.write('leave\n');
    expect(await exited).toBe(0);
  };
  const result = { process: child, joined: joined.promise, notices, exited, leave };
  members.push(result);
  return result;
}

/** The process ID in postmaster.pid. */
export function postmaster(folder = dataDir): number | undefined {
  try {
    return Number.parseInt(fs.readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8'), 10);
  } catch {
    return undefined;
  }
}

/** Whether the process runs. A zombie does not. */
export function isRunning(pid: number | undefined): boolean {
  try {
    if (pid === undefined || !process.kill(pid, 0)) return false;
    return (
      process.platform !== 'linux' || !/^\d+ \(.*\) [ZX]/.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
    );
  } catch {
    return false;
  }
}

export async function until(condition: () => unknown): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await condition()); await delay(10)) {
    if (Date.now() > deadline) throw new Error(`never became true: ${condition}`);
  }
}

/** The rows that a statement returns, over a separate connection. */
export async function query(url: string, statement: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export const log = (folder = dataDir) => fs.readFileSync(join(folder, 'postgres.log'), 'utf8');
export const serverStarts = () => log().split('ready to accept connections').length - 1;
export const leftovers = () =>
  fs.readdirSync(dataDir).filter((name) => !/^postgres(\.json|\.log)?$/.test(name));

/** Kills the postmaster, all members and, if `backends` is true, the processes of the postmaster. */
export async function crash({ backends }: { backends: boolean }): Promise<void> {
  const pid = postmaster()!;
  const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);
  for (const member of members) member.process.kill('SIGKILL');
  for (const target of backends ? [pid, ...children] : [pid]) {
    // A backend may have ended already.
    if (isRunning(target)) process.kill(target, 'SIGKILL');
  }
  await until(() => !isRunning(pid));
}

export async function stopCleanly(): Promise<void> {
  const first = member();
  await first.joined;
  await first.leave();
}
