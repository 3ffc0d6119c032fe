import { eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import { deferredTenantAdminProcedure, type WithTenant } from '#server/identity/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { languageCodes } from '#server/languages.ts';
import { workspaceName } from './schema.ts';
import { lockTenant } from './tenant-row.ts';

const code = z.string().max(40);

const saveRequest = z.strictObject({
  name: workspaceName,
  default_source_lang: code
    .nullable()
    .describe('The language that is selected first for texts and files; null to detect it.'),
  default_target_langs: z
    .array(code)
    .max(languageCodes.length)
    .describe('The languages that are selected first for translations, invites and uploads; may be empty.'),
  version: z
    .string()
    .max(64)
    .optional()
    .describe('The version that the caller read. If the settings have changed since, the response is 409.'),
});

const settings = saveRequest.extend({
  version: z.string().describe('Identifies these values; they are saved only if it has not changed.'),
});

type GeneralSettings = z.infer<typeof settings>;

/** The metadata may have been set by an operator, so other values than languages are ignored. */
async function readSettings(tx: Tx, tenantId: string): Promise<GeneralSettings> {
  const source = sql`metadata -> 'default_source_lang'`;
  const targets = sql`metadata -> 'default_target_langs'`;
  const [row] = await tx.execute<{ name: string; source: unknown; targets: unknown; version: string }>(sql`
    select name, ${source} as source, ${targets} as targets,
      md5(jsonb_build_array(name, ${source}, ${targets})::text) as version
    from tenants where tenant_id = ${tenantId}`);
  const { name, source: from, targets: to, version } = row!;
  return {
    name,
    default_source_lang: code.nullable().catch(null).parse(from),
    default_target_langs: z.array(code).catch([]).parse(to),
    version,
  };
}

/**
 * Saves the name and the default languages of a workspace. The languages are stored in the metadata, which all members get
 * with their session.
 * @throws AppError 409 state_conflict if the settings do not have the version; 422 for an unsupported language
 */
async function saveSettings(
  origin: Origin,
  withTenant: WithTenant,
  { version, ...request }: z.infer<typeof saveRequest>,
): Promise<GeneralSettings> {
  const { name, default_source_lang: source, default_target_langs: targets } = request;
  const languages = {
    default_source_lang: source && requireLanguage('default_source_lang', source),
    default_target_langs: [...new Set(targets.map((one) => requireLanguage('default_target_langs', one)))],
  };
  return withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    await lockTenant(tx, tenantId);
    const before = await readSettings(tx, tenantId);
    const changed = { name, ...languages };
    // A request that was sent again after a lost response changes nothing.
    if (JSON.stringify({ ...before, version }) === JSON.stringify({ ...changed, version })) return before;
    if (version !== undefined && version !== before.version)
      throw new AppError('state_conflict', 'the settings have changed since they were read; read them again');
    await tx
      .update(tenants)
      .set({ name, metadata: sql`${tenants.metadata} || ${JSON.stringify(languages)}::jsonb` })
      .where(eq(tenants.tenantId, tenantId));
    await recordEvent(tx, origin, {
      action: 'general_settings_changed',
      tenantId,
      actor: actorOfPrincipal(principal),
      details: { ...changed, default_target_langs: languages.default_target_langs.join(', ') },
    });
    return readSettings(tx, tenantId);
  });
}

/** The general settings of a workspace. They have no route, so only /trpc serves them. */
export const generalSettingsProcedures = {
  general: deferredTenantAdminProcedure('admin')
    .output(settings)
    .query(({ ctx }) => ctx.withTenant((tx, { tenant }) => readSettings(tx, tenant.id))),

  saveGeneral: deferredTenantAdminProcedure('admin')
    .input(saveRequest)
    .output(settings)
    .mutation(({ ctx, input }) => saveSettings(ctx, ctx.withTenant, input)),
};
