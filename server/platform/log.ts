import { hostname } from 'node:os';
import { describeForLog } from '#server/errors.ts';
import { terminalLine } from './terminal-log.ts';

/** The part of pino's interface that we use. Log lines never contain text, secrets or parameters. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** pino's numbers. */
const levels = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
};

export type LogLevel = keyof typeof levels;

const base = { pid: process.pid, hostname: hostname() };

/**
 * Writes one line in the shape of the service's log, for what is said before the log is open or after it: `{level, time, pid, hostname, ...,
 * msg}`. A terminal gets the words alone.
 */
export function writeLogLine(
  stream: NodeJS.WriteStream,
  level: Exclude<LogLevel, 'silent'>,
  msg: string,
  fields: object = {},
): void {
  const line = stream.isTTY
    ? msg
    : JSON.stringify({ level: levels[level], time: Date.now(), ...base, ...fields, msg });
  stream.write(`${line}\n`);
}

/** Reports what a start or a command waits for. */
export function warnOfWaiting(notice: string): void {
  writeLogLine(process.stderr, 'warn', notice);
}

/** Whether lines of a level are logged at LOG_LEVEL `threshold`. */
export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return levels[level] >= levels[threshold];
}

/** Where pino writes, and from which level on. */
interface LogOptions {
  level: LogLevel;
  stream?: { write(line: string): void };
}

/**
 * The options of a process's log on standard output: lines of JSON, and in a terminal one readable line each. There, nothing below a warning is
 * shown at `info`, which is the default; `debug` and `trace` show all.
 */
export function logOptions(level: LogLevel, output: NodeJS.WriteStream = process.stdout): LogOptions {
  if (!output.isTTY) return { level };
  return {
    level: level === 'info' ? 'warn' : level,
    stream: { write: (line) => void output.write(`${terminalLine(line)}\n`) },
  };
}

/** Says on stderr why a command ends with an error: one line, whatever LOG_LEVEL is. */
export function writeFatalLine(error: unknown): void {
  const msg = error instanceof Error ? error.message : String(error);
  if (process.stderr.isTTY) process.stderr.write(`lingualoop: ${msg}\n`);
  else writeLogLine(process.stderr, 'fatal', msg);
}

/** The log of a process without HTTP. With HTTP, Fastify's own pino logger is used. */
export async function openStandaloneLog(level: LogLevel): Promise<Log> {
  const { pino } = await import('pino');
  const { stream, ...options } = logOptions(level);
  const log = stream ? pino(options, stream) : pino(options);
  // Do not return the logger itself: its type has every name, `then` included, so a promise cannot resolve to it.
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/**
 * Gives the shape of the log to what others print: packages that use the console, Node's warnings, and what ends the process. Their words are
 * left out where they may quote a statement or a text.
 */
export function takeOverOutput(): void {
  for (const method of ['debug', 'info', 'log', 'warn', 'error', 'trace'] as const)
    console[method] = (...given: unknown[]) => {
      const error = given.find((one) => one instanceof Error);
      const fields = { source: 'console', ...(error && { error: describeForLog(error) }) };
      writeLogLine(process.stderr, 'warn', 'a package has printed something', fields);
    };
  // Node's own listener prints them.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    writeLogLine(process.stderr, 'warn', message, { source: 'node', warning: name });
  });
  // Neither an unhandled rejection nor its message: it must not end the process, and may quote a customer's text.
  process.on('unhandledRejection', (reason) => {
    writeLogLine(process.stderr, 'error', 'unhandled rejection', { error: describeForLog(reason) });
  });
  process.on('uncaughtException', (error) => {
    writeLogLine(process.stderr, 'fatal', 'uncaught exception', { error: describeForLog(error) });
    process.exit(1);
  });
}
