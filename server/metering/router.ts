import { router } from '#server/trpc.ts';
import { daily } from './procedures/daily.ts';
import { exportRecords } from './procedures/export.ts';
import { summary } from './procedures/summary.ts';

export const usageRouter = router({ daily, summary, export: exportRecords });
