import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

/**
 * Moves the golden record of a job or document from its pack into a separate file, as in a data lake.
 * @returns the path of the file
 */
export async function toSingleFile(app: TestApp, tenantId: string, id: string): Promise<string> {
  const sql = openSuperuser(app.superuserUrl);
  const [row] = await sql<{ uri: string }[]>`
    select golden_uri as uri from translation_jobs where job_id = ${id}
    union all select golden_uri from document_jobs where document_id = ${id}`;
  const { storage, settings } = app.services;
  const packed = `${tenantId}/${row!.uri}`;
  const content = await storage.read(packed, 0, 10_000_000);
  const uri = `golden/${id.slice(0, 6)}/${row!.uri.slice(row!.uri.lastIndexOf('/') + 1)}`;
  const file = join(settings.DATA_DIR, 'storage', tenantId, uri);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content!);
  await sql`update translation_jobs set golden_uri = ${uri} where job_id = ${id}`;
  await sql`update document_jobs set golden_uri = ${uri} where document_id = ${id}`;
  await storage.remove(packed);
  return file;
}
