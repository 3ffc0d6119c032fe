import { type ApiPromise, apiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { resultOf } from './rest.ts';
import type { Call } from './send.ts';
import type { HealthStatus } from './types.ts';

/** The health of the deployment. */
export interface System {
  /** Checks that the service is alive. Needs no credential. The service does not check its database for this call. */
  health(options?: CallOptions): ApiPromise<HealthStatus>;
}

const healthCall: Call = { name: 'system.health', repeatable: true, result: ['status'] };

export function system({ rest, sendUnsigned }: Connection): System {
  return {
    health: (options) =>
      apiPromise(
        sendUnsigned(
          healthCall,
          (attempt) =>
            rest.json<HealthStatus>({ method: 'GET', path: '/healthz' }, attempt, resultOf(healthCall)),
          options,
        ),
      ),
  };
}
