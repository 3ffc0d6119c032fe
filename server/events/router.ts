import { deferredTenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { readFeed, readFeedPlace, startFeed, writeFeedPlace } from './feed.ts';
import { eventPage, eventQuery, eventStreamQuery } from './schema.ts';
import { streamEvents } from './streams.ts';

/** Has no route, so only /trpc serves it. */
const list = deferredTenantProcedure('read')
  .input(eventQuery)
  .output(eventPage)
  .query(async ({ ctx, input: { cursor, limit, types } }) => {
    if (cursor === undefined)
      return { events: [], next_cursor: writeFeedPlace(await startFeed(ctx.withTenant)), has_more: false };
    const place = readFeedPlace(cursor);
    const { next, ...page } = await ctx.withTenant((tx, { tenant }) =>
      readFeed(tx, tenant.id, { place, limit, types }),
    );
    return { ...page, next_cursor: writeFeedPlace(next) };
  });

/** Has no route, so only /trpc serves it. */
const subscribe = deferredTenantProcedure('read')
  .input(eventStreamQuery)
  .subscription(({ ctx, input, signal }) =>
    streamEvents(ctx.services, ctx.withTenant, input, signal ?? ctx.disconnected()),
  );

export const eventsRouter = router({ list, subscribe });
