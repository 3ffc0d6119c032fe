import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { engineFor } from '#server/platform/engines/engine.ts';
import {
  type Finding,
  idOf,
  isOpen,
  type Resolution,
  resolutions,
  stateOf,
  withResolution,
} from '#server/translation/findings.ts';
import { requireTranslationEnabled } from '#server/translation/intake/submission-limits.ts';
import type { Author } from './author.ts';

/** The fields of a request that resolves a finding. */
export const resolveFields = {
  finding_id: z.string().max(100).describe('The `id` of the finding.'),
  resolution: z
    .enum(resolutions)
    .describe(
      '`fixed`: the text was changed, and the finding no longer applies. `not_an_error`: it never applied. `accepted`: it applies, and the text stays.',
    ),
  reason: z
    .string()
    .trim()
    .min(10)
    .max(500)
    .nullish()
    .describe('The reason in words, 10 to 500 characters. Required for a critical finding.'),
} as const;

interface Decision {
  finding_id: string;
  resolution: Resolution;
  reason?: string | null | undefined;
}

/**
 * Returns the findings with one of them resolved.
 * @param person who decides; `name` is null for an API key without a name
 * @throws AppError 409 conflict without such an open finding: another reviewer may have resolved it; 400 if it is
 *   called fixed although the text has not changed; 422 without the reason that a critical finding needs
 */
export function resolveFinding(
  findings: readonly Finding[],
  { finding_id: id, resolution, reason = null }: Decision,
  person: Pick<Author, 'name' | 'claimedVia'>,
): Finding[] {
  const finding = findings.find((one) => idOf(one) === id && isOpen(one));
  if (!finding) throw new AppError('conflict', 'the finding is no longer open; read the findings again');
  if (finding.severity === 'critical' && reason === null)
    throw new AppError('invalid_fields', [
      { loc: ['body', 'reason'], msg: 'is required for a critical finding', type: 'missing' },
    ]);
  const at = new Date().toISOString();
  const resolved = withResolution(findings, id, {
    ...{ as: resolution, by: person.name, at, reason },
    ...(person.claimedVia && { claimed_via: person.claimedVia }),
  });
  if (!resolved)
    throw new AppError(
      'validation_error',
      `a finding that is ${stateOf(finding)} cannot be ${resolution}; change the text first`,
    );
  return resolved;
}

/**
 * Requires that the judge model may check a text of the tenant again. The check is part of the review, so it takes no
 * characters. Its tokens count towards the tenant's daily limit, and a tenant that could not translate now gets no check
 * either.
 * @throws AppError 503 if translation is off; 400 if no model is connected; 402 or 429 like a translation
 */
export async function requireJudge(
  { settings, engine: shared }: Pick<Services, 'engine' | 'settings'>,
  tx: Tx,
  tenantId: string,
  credential: Principal['kind'],
): Promise<void> {
  requireTranslationEnabled({ settings });
  const engine = await engineFor(shared, { tenantId });
  if (!engine.live || engine.withoutJudge)
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
