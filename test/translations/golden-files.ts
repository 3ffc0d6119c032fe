import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApp } from '#test/setup/app.ts';

interface Tenant {
  tenantId: string;
}

/** The tenant's golden folder in the file store; undefined before the first record. */
async function goldenFolder({ services }: TestApp, { tenantId }: Tenant): Promise<string | undefined> {
  const all = await readdir(services.settings.DATA_DIR, { recursive: true, withFileTypes: true });
  const found = all
    .filter((entry) => entry.isDirectory() && entry.name === 'golden')
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(tenantId));
  if (found.length > 1) throw new Error(`${found.length} golden folders of one tenant`);
  return found[0];
}

/** A worker may remove a file after it was listed. */
async function readUnlessRemoved(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

/** Every file of the tenant below golden/, with its text, as paths from there. */
export async function goldenFiles(app: TestApp, tenant: Tenant): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const folder = await goldenFolder(app, tenant);
  if (folder === undefined) return files;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      const text = await readUnlessRemoved(path);
      if (text !== undefined) files.set(path.slice(folder.length + 1), text);
    }
  return files;
}

/** The records that mention `id`, parsed. */
export async function recordsOf(app: TestApp, tenant: Tenant, id: string) {
  return [...(await goldenFiles(app, tenant))]
    .filter(([path, text]) => path.includes(id) || text.includes(id))
    .map(([path, text]) => ({ path, text }));
}

/** The lines of the manifests that are the tenant's and mention `id`, with the manifest's name below golden/. */
export async function manifestLinesOf({ services }: TestApp, { tenantId }: Tenant, id: string) {
  const folder = join(services.settings.DATA_DIR, 'storage', 'golden');
  const manifests = join(folder, 'manifest');
  const lines: { path: string; line: string }[] = [];
  for (const entry of await readdir(manifests, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    for (const line of (await readFile(path, 'utf8')).split('\n'))
      if (line.includes(id) && JSON.parse(line).tenant_id === tenantId)
        lines.push({ path: path.slice(folder.length + 1), line });
  }
  return lines;
}

/** Puts a file where the folder was, so that nobody can write below it, root included; returns the way back. */
export async function breakGoldenStore(app: TestApp, tenant: Tenant): Promise<() => Promise<void>> {
  const folder = await goldenFolder(app, tenant);
  if (folder === undefined) throw new Error('nothing was stored yet');
  await rename(folder, `${folder}.away`);
  await writeFile(folder, 'no folder');
  return async () => {
    await rm(folder);
    await rename(`${folder}.away`, folder);
  };
}
