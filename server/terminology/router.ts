import { router } from '#server/trpc.ts';
import { remove } from './procedures/delete.ts';
import { list } from './procedures/list.ts';
import { upload } from './procedures/upload.ts';

export const terminologyRouter = router({ upload, list, delete: remove });
