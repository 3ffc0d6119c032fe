import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pairs = '/usr/share/apertium';

/** How to install what `startApertium` needs. */
export const installApertium = 'apt install apertium-apy apertium-eng-spa';

/** Whether Apertium's server is installed, with English and Spanish. */
export const hasApertium = (): boolean =>
  existsSync(`${pairs}/modes/eng-spa.mode`) && spawnSync('apertium-apy', ['--version']).error === undefined;

export interface Apertium {
  address: string;
  stop(): Promise<void>;
}

/** Starts Apertium's server, which translates by rules, on a free port, and waits until it responds. */
export async function startApertium(): Promise<Apertium> {
  const port = await freePort();
  // It starts a process for each pair of languages, which ends with its group.
  const child = spawn('apertium-apy', ['-p', String(port), pairs], { stdio: 'ignore', detached: true });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    return ended;
  };
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`${address}/listPairs`).catch(() => null);
    if (response?.ok) return { address, stop };
    if (child.exitCode !== null) break;
    await delay(100);
  }
  await stop();
  throw new Error('apertium-apy did not start');
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
