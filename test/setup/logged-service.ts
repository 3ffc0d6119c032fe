import { onTestFinished } from 'vitest';
import { killableAlone } from '#test/faults/kills.ts';
import { connect } from './app.ts';
import { launch } from './launch.ts';

/**
 * Starts the service in a separate process and collects its output. LOG_LEVEL is `debug`, unless `env` sets another
 * level.
 */
export async function startLoggedService(env: Record<string, string>) {
  const { env: settings, superuserUrl, end } = await killableAlone({ LOG_LEVEL: 'debug', ...env });
  const service = launch(['server/main.ts'], settings);
  onTestFinished(async () => {
    service.child.kill('SIGKILL');
    await service.ended;
    await end();
  });
  await service.says('LinguaLoop listens on ');
  return {
    ...connect(service.address()),
    superuserUrl,
    /** Ends the process, and returns everything that it has printed. */
    async finish(): Promise<string> {
      service.child.kill('SIGTERM');
      await service.ended;
      return service.printed();
    },
  };
}

export type LoggedService = Awaited<ReturnType<typeof startLoggedService>>;
