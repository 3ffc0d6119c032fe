import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

/** A program with its arguments and, if root starts it, the user to run it as. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** How a command ended. */
export interface Outcome {
  readonly ok: boolean;
  /** "exit code 1", "signal SIGKILL", or the reason why the program could not be started. */
  readonly ending: string;
  /** The last 16 KB of standard output and standard error. */
  readonly output: string;
}

/** Returns the spawn options for a PostgreSQL program. It inherits nothing from this process's environment. */
export function spawnOptions(command: Command, program: string) {
  return {
    // Not the current folder: that may have been deleted, or be inaccessible to the user that PostgreSQL runs as.
    cwd: dirname(program),
    env: childEnvironment(),
    windowsHide: true,
    ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.gid }),
  };
}

/** The complete environment of a child process. */
export function childEnvironment(): NodeJS.ProcessEnv {
  // On Windows, Node adds PATH and the other variables that programs need to start.
  if (process.platform === 'win32') return { LC_ALL: 'C', TZ: 'UTC' };
  return { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' };
}

/** Runs a command to its end with `input` on its standard input. Never rejects. */
export function run(command: Command, program: string, input = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(command.file, command.args, {
      ...spawnOptions(command, program),
      // Runs in a separate session, because Ctrl-C is meant for this process, which waits for the child.
      detached: true,
      stdio: 'pipe',
    });
    let output = '';
    const collect = (chunk: string) => {
      output = (output + chunk).slice(-16_384);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    // Ignore a broken pipe: it means that the program has ended before it read its input, and its exit code shows the
    // reason.
    child.stdin.on('error', () => {}).end(input);
    child.on('error', (error) => resolve({ ok: false, ending: error.message, output }));
    child.on('close', (code, signal) =>
      resolve({ ok: code === 0, ending: signal ? `signal ${signal}` : `exit code ${code}`, output }),
    );
  });
}
