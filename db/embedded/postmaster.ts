import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import { run, spawnOptions } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { DataFolder } from './folder.ts';
import { failure, openLog, readLog } from './log.ts';
import { readPidFile, runsIn } from './pidfile.ts';
import type { Secrets } from './secrets.ts';

const pollMs = 10;
const stopTimeoutMs = 60_000;

/** The result of an attempt to start: success, or what the caller can do next. */
type StartResult = 'ready' | 'try again' | 'port taken';

/** How to start a postmaster. */
export interface Launch {
  readonly port: number;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Called once the postmaster runs, before it is ready. */
  readonly onIdle: () => void;
}

/**
 * Starts the postmaster in a separate session, so that neither Ctrl-C nor the end of this process stops it. Waits
 * until it accepts connections, ends, or the deadline has passed. Rejects if it ends for
 * a reason that a retry cannot fix.
 */
export async function startPostmaster(
  folder: DataFolder,
  binaries: Binaries,
  account: Account,
  secrets: Secrets,
  { port, deadline, onIdle }: Launch,
): Promise<StartResult> {
  const log = await openLog(folder, account.owner);
  try {
    const { size } = await log.stat();
    const command = account.command(binaries.postgres, ['-D', folder.cluster, ...settings(secrets, port)]);
    const child = spawn(command.file, command.args, {
      ...spawnOptions(command, binaries.postgres),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    let ending: string | undefined;
    child.on('error', (error) => {
      ending = error.message;
    });
    child.on('exit', (code, signal) => {
      ending = signal ? `signal ${signal}` : `exit code ${code}`;
    });
    child.unref();
    onIdle();
    while (ending === undefined && Date.now() < deadline) {
      const seen = await readPidFile(folder);
      if (seen.state === 'postmaster' && seen.pid === child.pid && seen.ready) return 'ready';
      await delay(pollMs);
    }
    if (ending === undefined) return 'try again';
    return explainEnding(ending, linesOf(child.pid, readLog(folder, size)), folder);
  } finally {
    await log.close();
  }
}

function settings(secrets: Secrets, port: number): string[] {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    cluster_name: secrets.id,
    max_connections: 200,
    shared_buffers: '128MB',
    shared_preload_libraries: 'pg_stat_statements',
    // Errors of statements are sent only to the client. In the log they would accumulate, and they contain personal
    // data.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    // Ends the statements of a killed client soon, so that their locks are released. Not available on Windows.
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '1s' }),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Returns only the log lines of this process, because other processes may be starting the same cluster and write to
 * the same log.
 */
function linesOf(pid: number | undefined, text: string): string {
  return text
    .split('\n')
    .filter((line) => line.includes(`[${pid}]`))
    .join('\n');
}

function explainEnding(ending: string, log: string, folder: DataFolder): StartResult {
  if (/could not create any TCP\/IP sockets/.test(log)) return 'port taken';
  // Another process was faster, or processes of a killed postmaster are still ending.
  if (/lock file ".*" (already exists|is empty)|shared memory block .* is still in use/.test(log))
    return 'try again';
  // The server was stopped by a member that was the last to leave, or it was killed. Neither prevents the next
  // attempt.
  if (ending === 'exit code 0' || ending.startsWith('signal')) return 'try again';
  throw failure(`PostgreSQL could not be started, it ended with ${ending}.`, folder);
}

/** Stops the postmaster with a fast shutdown and waits for its end. Rejects if that takes longer than 60 s. */
export async function stopPostmaster(folder: DataFolder, binaries: Binaries): Promise<void> {
  const seen = await readPidFile(folder);
  if (seen.state !== 'postmaster') return;
  if (process.platform === 'win32') {
    // Windows has no signals. pg_ctl stops the postmaster through a pipe.
    await run(
      { file: binaries.pg_ctl, args: ['stop', '-D', folder.cluster, '-m', 'fast', '-W'] },
      binaries.pg_ctl,
    );
  } else {
    signal(seen.pid);
  }
  const deadline = Date.now() + stopTimeoutMs;
  while (await runsIn(seen.pid, folder.cluster)) {
    if (Date.now() > deadline) {
      throw failure(
        `PostgreSQL (process ${seen.pid}) did not stop within ${stopTimeoutMs / 1000} s.`,
        folder,
      );
    }
    await delay(pollMs);
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
