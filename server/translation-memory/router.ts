import { router } from '#server/trpc.ts';
import { remove } from './procedures/delete.ts';
import { exportSet } from './procedures/export.ts';
import { exportGolden } from './procedures/export-golden.ts';
import { getImport } from './procedures/get-import.ts';
import { importTmx } from './procedures/import.ts';
import { list } from './procedures/list.ts';
import { listImports } from './procedures/list-imports.ts';

export const memoryRouter = router({
  import: importTmx,
  list,
  listImports,
  getImport,
  delete: remove,
  export: exportSet,
  exportGolden,
});
