import { expect } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { documentForm } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { Founder } from './founder.ts';

/** Uploads a file over the API. @param wait whether the function waits until the file is translated */
export async function sendDocument(
  app: Pick<TestApp, 'request'>,
  { apiKey }: Pick<Founder, 'apiKey'>,
  file: File,
  wait = true,
  targetLang = 'fr',
): Promise<string> {
  const body = new FormData();
  const fields = documentForm({
    source_document: file,
    target_lang: targetLang,
    ...(wait && { wait: 'true' }),
  });
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) body.append(name, value as Blob);
  const response = await app.request('/api/documents/translate', {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body,
  });
  const job = await response.json();
  expect([response.status, job.detail]).toEqual([wait ? 200 : 202, undefined]);
  return job.id;
}

/** A file of the corpus. @param path relative to the corpus */
export function corpusDocument(path: string): File {
  return new File([new Uint8Array(corpusFile(path))], path.slice(path.indexOf('/') + 1));
}
