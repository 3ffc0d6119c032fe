import type { Services } from '#server/context.ts';
import type { AsAdministratorSession } from '#server/identity/access/guards/session.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { replaceWorkspaceKey } from '#server/identity/tenants/replace-workspace-key.ts';
import type { RotatedKey } from '#server/identity/tenants/schema.ts';
import { type Proof, withProof } from './reauthentication.ts';

/**
 * Rotates the workspace key of an administrator's own tenant. The old key is rejected from the next request on; sessions
 * continue.
 * @throws AppError the errors of `withProof`
 */
export async function rotateOwnKey(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  proof: Proof,
): Promise<RotatedKey> {
  return withProof(services, origin, asAdministrator, proof, async (tx, { tenantId, userId }) => {
    const { apiKey, change } = await replaceWorkspaceKey(tx, tenantId, userId);
    await recordEvent(tx, origin, {
      action: 'api_key_rotated',
      tenantId,
      actor: { kind: 'member', userId },
      target: tenantId,
      details: change,
    });
    return { api_key: apiKey, api_key_prefix: change.to };
  });
}
