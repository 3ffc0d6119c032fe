import { sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { KeyPrincipal } from './principal.ts';
import { serviceTenantId } from './service-key.ts';

/** Milliseconds between two records of the use of a key. */
const interval = 60_000;

/** Maximum number of keys whose latest record a process remembers. */
const maxKeys = 10_000;

type KeyUseServices = Pick<Services, 'backgroundWork' | 'database' | 'log'>;

/** The time of this process's latest record of each key, by tenant and key. Per database, for tests. */
const recorded = new WeakMap<Services['database'], Map<string, number>>();

/**
 * Records that a key was used, at most about once a minute per key and process. The request continues immediately. The
 * statement compares the stored time, so several processes together also write about once a minute.
 */
export function recordKeyUse(services: KeyUseServices, { tenant, keyId }: KeyPrincipal): void {
  if (tenant.id === serviceTenantId) return;
  const { backgroundWork, database, log } = services;
  const times = recorded.get(database) ?? new Map<string, number>();
  recorded.set(database, times);
  const key = `${tenant.id} ${keyId ?? ''}`;
  const now = performance.now();
  if (now - (times.get(key) ?? Number.NEGATIVE_INFINITY) < interval) return;
  // Forgetting only causes statements that change nothing.
  if (times.size >= maxKeys) times.clear();
  times.set(key, now);
  const which = keyId === null ? sql`workspace and revoked_at is null` : sql`key_id = ${keyId}`;
  const write = database.inTenant(tenant.id, (tx) =>
    tx.execute(sql`
      update api_keys set last_used_at = now()
      where tenant_id = ${tenant.id} and ${which}
        and (last_used_at is null or last_used_at < now() - make_interval(secs => ${interval / 1000}))`),
  );
  void backgroundWork.track(write).catch((error: unknown) => {
    times.delete(key);
    log.warn({ error: describeForLog(error) }, 'the use of an API key was not recorded');
  });
}
