import type { Tx } from '#db/client.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';

/**
 * Requires that the judge model may check a text of the tenant again. The check is part of the review, so it takes no
 * characters. Its tokens count towards the tenant's daily limit, and a tenant that could not translate now gets no check
 * either.
 * @throws AppError 503 if translation is off; 400 if no model is connected; 402 or 429 like a translation
 */
export async function requireJudge(
  { settings, engine }: Pick<Services, 'engine' | 'settings'>,
  tx: Tx,
  tenantId: string,
  credential: Principal['kind'],
): Promise<void> {
  if (!settings.TRANSLATION_ENABLED)
    throw new AppError('capability_off', 'translation is temporarily disabled');
  if (!engine.live)
    throw new AppError('validation_error', 'no model is connected that could check the text again');
  const tenant = await readBilledTenant(tx, settings);
  const refusal = await findRefusal(
    tx,
    settings,
    { tenantId, tenant },
    { kind: 'text', credential: credential === 'session' ? 'session' : 'api_key', chars: 0 },
  );
  if (refusal) throw refusal;
}
