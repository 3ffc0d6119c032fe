import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export interface Service {
  address: string;
  /** Makes the service drain. Resolves when its process has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the service in the same way as `npm start`, but on a free port, and waits until it responds.
 * @param env environment variables in addition to those of this process
 */
export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const child = spawn(process.execPath, ['--max-semi-space-size=8', join(root, 'server/main.ts')], {
    cwd: root,
    env: { ...process.env, ...env, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  const address = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const listening = /LinguaLoop listens on ([^\s"]+)/.exec(output);
      if (listening) resolve(listening[1] as string);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it responded`)));
  });
  return { address, stop };
}
