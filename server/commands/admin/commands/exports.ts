import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { atTheServer } from '#server/identity/audit/audit-log.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { exportView } from '#server/workspace-export/schema.ts';
import { listExports, readZip, startExport, takeExport } from '#server/workspace-export/tenant-exports.ts';
import { defineCommand, Refusal, tenantId } from '../command.ts';
import { columns, jsonLine } from '../printing.ts';

export const exportTenant = defineCommand({
  summary: 'Starts the export of all data of a tenant. A worker makes the zip; save-export saves it.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { exportId } = await database.inTenant(tenant_id, (tx) =>
      startExport(tx, atTheServer, { tenantId: tenant_id, userId: null }),
    );
    yield `Export ${exportId} has started. When it is finished, save it with save-export ${tenant_id} ${exportId} <file>.`;
  },
});

export const exportsOf = defineCommand({
  summary: 'Lists the exports of a tenant, latest first.',
  parameters: ['tenant_id'],
  options: { json: { type: 'boolean', summary: 'one JSON object per line, with the number of rows' } },
  input: z.object({ tenant_id: tenantId, json: z.boolean().default(false) }),
  async *run({ database }, { tenant_id, json }) {
    const found = await database.inTenant(tenant_id, async (tx) => {
      await lockAccount(tx, tenant_id);
      return (await listExports(tx, tenant_id)).map(exportView);
    });
    if (!json && found.length === 0) yield 'No exports.';
    if (!json && found.length > 0) yield columns(['id', 'requested_at', 'finished_at', 'files', 'bytes']);
    for (const view of found)
      yield json
        ? jsonLine(view)
        : columns([
            ...[view.id, view.requested_at, view.finished_at ?? '-'],
            ...[view.files, view.size_bytes ?? '-'],
          ]);
  },
});

export const saveExport = defineCommand({
  summary: 'Saves the zip of a finished export to a file.',
  parameters: ['tenant_id', 'export_id', 'file'],
  options: {},
  input: z.object({ tenant_id: tenantId, export_id: z.string(), file: z.string() }),
  async *run({ database, settings }, { tenant_id, export_id, file }) {
    // A rename would replace a device, or a link such as /dev/stdout.
    if ((await lstat(file).catch(() => undefined))?.isFile() === false)
      throw new Refusal(`${file} is not a file; choose another name`);
    const row = await database.inTenant(tenant_id, async (tx) => {
      await lockAccount(tx, tenant_id);
      return takeExport(tx, atTheServer, { tenantId: tenant_id, exportId: export_id, userId: null });
    });
    const partial = `${file}.unfinished-${process.pid}`;
    try {
      const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(readZip(openPlatformStore(settings), row), output);
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true });
      throw new Refusal(`the export cannot be saved: ${(error as Error).message}`);
    }
    yield `The export is in ${file}.`;
  },
});
