import { hostname } from 'node:os';
import { describeForLog } from '#server/errors.ts';
import { publicAddress, type Settings } from '#server/settings.ts';

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

/** Returns the three lines that a terminal shows after the API has started. @param listening the URL of the socket */
export function terminalGreeting(listening: string, settings: Settings): string {
  // The system selects a port if PORT is 0, so only the socket has the actual one.
  const base = settings.BASE_URL ?? (settings.PORT === 0 ? listening : publicAddress(settings));
  const { EMAIL_SIGNUP_ENABLED: opens } = settings;
  return [
    `LinguaLoop listens on ${listening}`,
    opens ? `Sign up:  ${base}/signin?found=true` : `Sign in:  ${base}/signin`,
    `Docs:     ${base}/docs/guides/ and ${base}/docs`,
  ].join('\n');
}

const names: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

/**
 * Formats a line of the log for a reader: `09:30:00 warning: message (field value, ...)`. Lines that are not from the
 * log are returned unchanged.
 */
export function terminalLine(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return printable(line.trimEnd());
  }
  const { level, time, pid: _pid, hostname: _hostname, msg, ...others } = fields;
  const told = Object.entries(others).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const more = told.length > 0 ? ` (${told.join(', ')})` : '';
  return printable(`${clock} ${names[Number(level)] ?? level}: ${msg}${more}`);
}

/** Removes characters that would break the line or control the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, ' ');
}
