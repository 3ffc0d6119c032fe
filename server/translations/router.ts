import { router } from '#server/trpc.ts';
import { create } from './procedures/create.ts';
import { createBatch } from './procedures/create-batch.ts';
import { createFromFile } from './procedures/create-from-file.ts';
import { createFromText } from './procedures/create-from-text.ts';
import { deleteJob } from './procedures/delete.ts';
import { get } from './procedures/get.ts';
import { golden } from './procedures/golden.ts';
import { list } from './procedures/list.ts';
import { review } from './procedures/review.ts';

export const translationsRouter = router({
  create,
  createBatch,
  createFromFile,
  createFromText,
  get,
  list,
  review,
  golden,
  delete: deleteJob,
});
