import { administratorSessionProcedure } from '#server/identity/access/guards/session.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { router } from '#server/trpc.ts';
import { auditListRequest, auditPage, listEvents } from '../audit/list-events.ts';
import { createKey, listKeys, revokeKey, rotateKey, updateKey } from './manage-keys.ts';
import {
  apiKey,
  apiKeyList,
  apiKeyWithSecret,
  createInput,
  listInput,
  revokeInput,
  rotateInput,
  updateInput,
} from './schema.ts';

/**
 * Procedures that manage the API keys of the signed-in administrator's own workspace. They have no route, so only /trpc
 * serves them. No key is accepted: a leaked key must not be able to create another.
 */
export const apiKeysRouter = router({
  list: administratorSessionProcedure
    .input(listInput)
    .output(apiKeyList)
    .query(({ ctx, input }) =>
      ctx.asAdministrator(async (tx, { tenant }) => ({ keys: await listKeys(tx, tenant.id, input.revoked) })),
    ),

  create: administratorSessionProcedure
    .use(rateLimited('key_rotation'))
    .input(createInput)
    .output(apiKeyWithSecret)
    .mutation(({ ctx, input }) => createKey(ctx.services, ctx, ctx.asAdministrator, input)),

  update: administratorSessionProcedure
    .use(rateLimited('key_rotation'))
    .input(updateInput)
    .output(apiKey)
    .mutation(({ ctx, input }) => updateKey(ctx.services, ctx, ctx.asAdministrator, input)),

  rotate: administratorSessionProcedure
    .use(rateLimited('key_rotation'))
    .input(rotateInput)
    .output(apiKeyWithSecret)
    .mutation(({ ctx, input }) => rotateKey(ctx.services, ctx, ctx.asAdministrator, input)),

  revoke: administratorSessionProcedure
    .input(revokeInput)
    .output(apiKey)
    .mutation(({ ctx, input }) => revokeKey(ctx, ctx.asAdministrator, input.key_id)),
});

const list = administratorSessionProcedure
  .input(auditListRequest)
  .output(auditPage)
  .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => listEvents(tx, tenant.id, input)));

export const auditRouter = router({ list });
