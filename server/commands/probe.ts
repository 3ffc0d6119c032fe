import { readSettings, type Settings } from '#server/settings.ts';

/**
 * Checks whether the process on this machine is ready (`npm run probe`). Prints one line; the exit code is 0 if the
 * process is ready, otherwise 1.
 */

/** Timeout in milliseconds. It is shorter than the usual timeout of a container's health check. */
const patience = 4000;

/**
 * Returns the URL of the process: on the port for operators if there is one (processes with only workers have no
 * other), otherwise on the API's port.
 */
function addressOf({ HOST, PORT, METRICS }: Settings): string {
  const { host, port } = METRICS ?? { host: HOST, port: PORT };
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
      `${address} does not respond (${reason}); a process that runs only workers responds only if METRICS is set`,
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
