import type { CallOptions } from './options.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { HealthStatus } from './types.ts';

/** The deployment itself. */
export interface System {
  /** Liveness; needs no credential, and says nothing of the database. */
  health(options?: CallOptions): Promise<HealthStatus>;
}

const healthCall: Call = { name: 'system.health', repeatable: true };

export function system(rpc: Rpc, send: Send): System {
  const { health } = rpc.system;
  return {
    health: (options) => send(healthCall, (attempt) => health.query(undefined, attempt), options),
  };
}
