import { publicAddress, type Settings } from '#server/settings.ts';

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
