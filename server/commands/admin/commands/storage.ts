import { z } from 'zod';
import type { StorageView } from '#server/operations/schema.ts';
import { viewStorage } from '#server/operations/storage.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { adoptStore } from '#server/storage/store-identity.ts';
import { defineCommand } from '../command.ts';
import { byteSize, facts, jsonLine, table, timeSpan } from '../printing.ts';

export const storage = defineCommand({
  summary:
    'Shows platform storage, the tenants with the most files (at most 20), and when recurring tasks last completed.',
  parameters: [],
  options: { json: { type: 'boolean', summary: 'one JSON object' } },
  input: z.object({ json: z.boolean().default(false) }),
  async *run({ database, settings }, { json }) {
    const view = await viewStorage({ database, settings, storage: openPlatformStore(settings) });
    if (json) yield jsonLine(view);
    else yield* [...stateOf(view), '', ...largest(view), '', ...runsOf(view)];
  },
});

export const adoptStorage = defineCommand({
  summary:
    'Makes the platform storage of these settings the one of this database. Use it if the former storage is lost, or was moved without its ID.',
  parameters: [],
  options: {},
  input: z.object({}),
  async *run({ database, settings }) {
    await adoptStore(database, openPlatformStore(settings));
    yield 'The storage belongs to this database now. Restart processes that use another storage, and run npm run verify-store.';
  },
});

function stateOf(view: StorageView): string[] {
  const { free_bytes: free, total_bytes: total } = view;
  return facts([
    ['platform storage', `${view.provider}, ${view.up ? 'accepts objects' : 'does not accept objects'}`],
    ...(free === null || total === null
      ? []
      : ([['free space', `${byteSize(free)} of ${byteSize(total)}`]] as const)),
    ['documents', `${byteSize(view.document_bytes)} in ${view.document_files} files`],
    ['parked jobs', view.parked_jobs],
  ]);
}

function largest({ workspaces }: StorageView): string[] {
  if (workspaces.length === 0) return ['No tenant has files in platform storage.'];
  return table(
    ['tenant_id', 'name', 'size', 'cap', 'files'],
    workspaces.map(({ tenant_id, name, bytes, bytes_allowed: allowed, files }) => [
      tenant_id,
      JSON.stringify(name),
      byteSize(bytes),
      allowed === null ? '-' : byteSize(allowed),
      files,
    ]),
  );
}

function runsOf({ maintenance }: StorageView): string[] {
  const backup = maintenance.some(({ task }) => task === 'backup') ? [] : ['No backup was recorded.'];
  if (maintenance.length === 0) return ['No recurring task has completed yet.', ...backup];
  const rows = maintenance.map(({ task, age_seconds: age, interval_seconds: interval }) => [
    task,
    timeSpan(age),
    interval === null ? '-' : timeSpan(interval),
  ]);
  return [...table(['task', 'completed_ago', 'interval'], rows), ...backup];
}
