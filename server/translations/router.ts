import { router } from '#server/trpc.ts';
import { create } from './procedures/create.ts';
import { get } from './procedures/get.ts';
import { list } from './procedures/list.ts';

export const translationsRouter = router({ create, list, get });
