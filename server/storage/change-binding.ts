import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { type Binding, credentialBy } from '#server/platform/stores/account-stores.ts';
import { checkFilesystem, checkSecret, parseAccountUrl } from '#server/platform/stores/data-lake-address.ts';
import { bindingView, sealSecret } from './bindings.ts';
import { awaitReplay, beginReplay } from './parked-job-replays.ts';
import { defaultPrefixes, type StorageBinding, type StorageBindingRequest } from './schema.ts';
import { ownershipDirectory, probe } from './verify-binding.ts';

type ChangeServices = Pick<
  Services,
  'backgroundWork' | 'database' | 'log' | 'secretsKeys' | 'settings' | 'storage'
>;

/** The binding that a valid request describes. */
type Desired = Pick<
  Binding,
  'accountUrl' | 'filesystem' | 'authMode' | 'documentsPrefix' | 'goldenPrefix' | 'terminologyPrefix'
> & { secret: string | undefined };

/**
 * Replaces a tenant's binding; the request contains the complete new state. Only the form of the request is checked
 * here; `verifyBinding` checks whether the storage works. The provider `platform` returns the tenant to platform
 * storage.
 * @throws AppError 401, 403; 422 whose details are a string; 502 if platform storage cannot be written: then nothing
 *   has changed
 */
export async function replaceBinding(
  services: ChangeServices,
  origin: Origin,
  withTenant: WithTenant,
  request: StorageBindingRequest,
): Promise<StorageBinding> {
  if (request.provider === 'platform') return returnToPlatform(services, origin, withTenant);
  return withTenant(async (tx, principal) => {
    const desired = readRequest(request, services.settings);
    return bindingView(await saveBinding(tx, services, origin, principal, desired), services.settings);
  });
}

async function returnToPlatform(
  services: ChangeServices,
  origin: Origin,
  withTenant: WithTenant,
): Promise<StorageBinding> {
  const tenantId = await withTenant(async (_tx, principal) => principal.tenant.id);
  // Parked jobs are about to be published to platform storage.
  if ((await probe(services, services.storage, `${tenantId}/golden/`)) !== null)
    throw new AppError(
      'platform_storage_unavailable',
      'platform storage could not be set up; nothing was changed, try again',
    );
  return removeBinding(services, origin, withTenant);
}

/**
 * Removes a tenant's binding and its secret, and publishes parked jobs to platform storage. Objects in the tenant's
 * account stay there.
 * @throws AppError 401, 403
 */
export async function removeBinding(
  services: ChangeServices,
  origin: Origin,
  withTenant: WithTenant,
): Promise<StorageBinding> {
  const { tenantId, replayId } = await withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const [removed] = await tx
      .delete(storageBindings)
      .where(eq(storageBindings.tenantId, tenantId))
      .returning({ accountUrl: storageBindings.accountUrl, filesystem: storageBindings.filesystem });
    if (removed)
      await recordEvent(tx, origin, {
        action: 'storage_binding_removed',
        tenantId,
        actor: actorOfPrincipal(principal),
        target: removed.accountUrl,
        details: { filesystem: removed.filesystem },
      });
    return { tenantId, replayId: await beginReplay(tx, tenantId) };
  });
  return {
    ...bindingView(undefined, services.settings),
    replay: await awaitReplay(services, tenantId, replayId),
  };
}

async function saveBinding(
  tx: Tx,
  services: Pick<Services, 'secretsKeys'>,
  origin: Origin,
  principal: Principal,
  { secret, ...desired }: Desired,
): Promise<Binding> {
  const tenantId = principal.tenant.id;
  // Lock the row: a concurrent change must not store a secret for another authentication mode.
  const [held] = await tx
    .select({
      authMode: storageBindings.authMode,
      secret: storageBindings.secret,
      accountUrl: storageBindings.accountUrl,
      filesystem: storageBindings.filesystem,
    })
    .from(storageBindings)
    .where(eq(storageBindings.tenantId, tenantId))
    .for('no key update');
  if (desired.authMode !== 'managed_identity' && secret === undefined) checkKept(held, desired);
  const columns = {
    ...desired,
    ...(desired.authMode === 'managed_identity' && { secret: null, secretKeyId: null }),
    ...(secret !== undefined && sealSecret(services, tenantId, secret)),
    status: 'unverified' as const,
    lastError: null,
    updatedBy: principal.kind === 'session' ? principal.user.email : null,
  };
  const [row] = await tx
    .insert(storageBindings)
    .values({ tenantId, ...columns })
    .onConflictDoUpdate({
      target: storageBindings.tenantId,
      set: {
        ...columns,
        // If the container stays the same, the workspace keeps holding it, so that no other workspace can take it.
        ...(!isSameContainer(held, desired) && { heldSince: null }),
        revision: sql`${storageBindings.revision} + 1`,
        updatedAt: sql`now()`,
      },
    })
    .returning();
  if (!row) throw new Error('the saved storage binding has no database row');
  await recordEvent(tx, origin, {
    action: 'storage_binding_changed',
    tenantId,
    actor: actorOfPrincipal(principal),
    target: row.accountUrl,
    details: {
      filesystem: row.filesystem,
      auth_mode: row.authMode,
      documents_prefix: row.documentsPrefix,
      golden_prefix: row.goldenPrefix,
      secret_changed: secret !== undefined,
    },
  });
  return row;
}

/**
 * @throws AppError 422 unless the stored secret can be kept: it must have the same mode, and must have been given for
 *   the same account
 */
function checkKept(
  held: Pick<Binding, 'accountUrl' | 'authMode' | 'secret'> | undefined,
  { accountUrl, authMode }: Pick<Binding, 'accountUrl' | 'authMode'>,
): void {
  if (held?.authMode !== authMode || held.secret === null)
    throw refused(`secret is required for auth_mode ${authMode}`);
  if (held.accountUrl !== accountUrl) throw refused('secret is required when account_url changes');
}

type Container = Pick<Binding, 'accountUrl' | 'filesystem'>;

function isSameContainer(held: Container | undefined, { accountUrl, filesystem }: Container): boolean {
  return held?.accountUrl === accountUrl && held.filesystem === filesystem;
}

/** @throws AppError 422 whose details are a string; it names the field and never contains the secret */
function readRequest(request: StorageBindingRequest, settings: Services['settings']): Desired {
  const accountUrl = parseAccountUrl(request.account_url ?? '');
  if ('problem' in accountUrl) throw refused(`account_url ${accountUrl.problem}`);
  if (isOwnAccount(accountUrl.accountUrl, settings))
    throw refused('account_url is the storage account of the deployment; use your own account');
  const filesystem = request.filesystem ?? '';
  const misnamed = checkFilesystem(filesystem);
  if (misnamed) throw refused(`filesystem ${misnamed.problem}`);
  const authMode = request.auth_mode ?? undefined;
  if (!authMode) throw refused('auth_mode is required: managed_identity, sas or connection_string');
  const secret = request.secret?.trim() || undefined;
  if (secret !== undefined) {
    if (authMode === 'managed_identity')
      throw refused('secret is not allowed with auth_mode managed_identity');
    const wrong = checkSecret(accountUrl.accountUrl, credentialBy(authMode, secret));
    if (wrong) throw refused(`secret ${wrong.problem}`);
  }
  return {
    accountUrl: accountUrl.accountUrl,
    filesystem,
    authMode,
    secret,
    ...readPrefixes(request.prefixes ?? {}),
  };
}

function readPrefixes(given: NonNullable<StorageBindingRequest['prefixes']>) {
  const read = (name: keyof typeof defaultPrefixes): string => {
    const prefix = given[name]?.trim() ?? defaultPrefixes[name];
    const directory = prefix.endsWith('/') ? prefix : `${prefix}/`;
    if (directory.length > 200 || !/^([\w-][\w.-]*\/)+$/.test(directory))
      throw refused(
        `prefixes.${name} must be a directory of letters, digits, ".", "_" and "-" (at most 200 characters), such as ${defaultPrefixes[name]}`,
      );
    // Object names in Azure are case-sensitive; in other services with the same API they may not be.
    if (directory.toLowerCase().startsWith(ownershipDirectory))
      throw refused(
        `prefixes.${name} must not start with ${ownershipDirectory}, which is reserved for the container's owner`,
      );
    return directory;
  };
  const documentsPrefix = read('documents');
  const goldenPrefix = read('golden');
  if (documentsPrefix === goldenPrefix)
    throw refused('prefixes.documents and prefixes.golden must be different directories');
  return { documentsPrefix, goldenPrefix, terminologyPrefix: read('terminology') };
}

/** Whether the account is the one in which the platform keeps its own records and files. */
function isOwnAccount(accountUrl: string, { PLATFORM_STORAGE_URL: url }: Services['settings']): boolean {
  if (url === undefined || !url.startsWith('https:')) return false;
  const own = parseAccountUrl(new URL(url).origin);
  return 'accountUrl' in own && own.accountUrl === accountUrl;
}

function refused(detail: string): AppError {
  return new AppError('unprocessable', detail);
}
