import { hostname } from 'node:os';
import { describeForLog } from '#server/errors.ts';
import { terminalLine } from './terminal-log.ts';

/** The part of pino's interface that the service uses. Log lines never contain texts, secrets or parameters. */
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
 * Writes one line in the format of the service's log: `{level, time, pid, hostname, ..., msg}`. Used before the log
 * is open and after it has been closed. On a terminal, only the message is written.
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

/** Reports why a start or a command is waiting. */
export function warnOfWaiting(notice: string): void {
  writeLogLine(process.stderr, 'warn', notice);
}

/** Whether lines of a level are logged if LOG_LEVEL is `threshold`. */
export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return levels[level] >= levels[threshold];
}

/** The output of pino, and the minimum level of its lines. */
interface LogOptions {
  level: LogLevel;
  stream?: { write(line: string): void };
}

/**
 * Returns the options for a log on standard output: lines of JSON, or readable lines on a terminal. On a terminal,
 * LOG_LEVEL `info`, the default, shows only warnings and worse; `debug` and `trace` show everything.
 */
export function logOptions(level: LogLevel, output: NodeJS.WriteStream = process.stdout): LogOptions {
  if (!output.isTTY) return { level };
  return {
    level: level === 'info' ? 'warn' : level,
    stream: { write: (line) => void output.write(`${terminalLine(line)}\n`) },
  };
}

/** Writes to stderr why a command ends with an error: one line, at any LOG_LEVEL. */
export function writeFatalLine(error: unknown): void {
  const msg = error instanceof Error ? error.message : String(error);
  if (process.stderr.isTTY) process.stderr.write(`lingualoop: ${msg}\n`);
  else writeLogLine(process.stderr, 'fatal', msg);
}

/** Opens the log of a process without an HTTP server. With an HTTP server, Fastify's own pino logger is used. */
export async function openStandaloneLog(level: LogLevel): Promise<Log> {
  const { pino } = await import('pino');
  const { stream, ...options } = logOptions(level);
  const log = stream ? pino(options, stream) : pino(options);
  // Do not return the logger itself: its type allows every name, including `then`, so that a promise cannot resolve
  // to it.
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/**
 * Writes other output in the format of the log: output of packages that use the console, warnings of Node, and errors
 * that end the process. A message that may quote a statement or a text is omitted.
 */
export function redirectOutput(): void {
  for (const method of ['debug', 'info', 'log', 'warn', 'error', 'trace'] as const)
    console[method] = (...given: unknown[]) => {
      const error = given.find((one) => one instanceof Error);
      const fields = { source: 'console', ...(error && { error: describeForLog(error) }) };
      writeLogLine(process.stderr, 'warn', 'a package printed to the console', fields);
    };
  // Node's own listener would print warnings as plain text.
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    writeLogLine(process.stderr, 'warn', message, { source: 'node', warning: name });
  });
  // An unhandled rejection must not end the process. Its message is not logged, because it may quote a customer's
  // text.
  process.on('unhandledRejection', (reason) => {
    writeLogLine(process.stderr, 'error', 'unhandled rejection', { error: describeForLog(reason) });
  });
  process.on('uncaughtException', (error) => {
    writeLogLine(process.stderr, 'fatal', 'uncaught exception', { error: describeForLog(error) });
    process.exit(1);
  });
}
