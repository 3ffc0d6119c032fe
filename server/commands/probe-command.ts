import { readSettings, type Settings } from '#server/settings.ts';

/**
 * `npm run probe`: checks whether the process on this machine is ready. Prints one line; exits with 0 if it is,
 * otherwise with 1.
 */

/** Milliseconds. Shorter than the usual limit of a container's health check. */
const patience = 4000;

/** The address of the process: its port for operators, if it has one, as a worker must; otherwise the API's port. */
function addressOf({ HOST, PORT, METRICS_HOST, METRICS_PORT }: Settings): string {
  const [host, port] = METRICS_PORT === undefined ? [HOST, PORT] : [METRICS_HOST, METRICS_PORT];
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}/readyz`;
}

let line: string;
try {
  const address = addressOf(readSettings());
  const response = await fetch(address, { signal: AbortSignal.timeout(patience) }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    const reason = (cause as { code?: string } | undefined)?.code ?? message;
    throw new Error(
      `${address} does not respond (${reason}); a process with only workers needs METRICS_PORT`,
    );
  });
  const body = await response.text();
  if (!response.ok) process.exitCode = 1;
  line = body;
} catch (error) {
  process.exitCode = 1;
  line = `lingualoop: ${(error as Error).message}`;
}
process.stdout.write(`${line}\n`);
