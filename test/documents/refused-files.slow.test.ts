import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuTimeWithChildren, watchMemory } from '#test/bench/process-figures.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { env } from '#test/factories.ts';
import { type Killable, killableBeside } from '#test/faults/kills.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import type { RunningService } from '#test/setup/service.ts';

// Some of these files have more text than the default monthly allowance of a tenant.
const app = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10000000' } });

/** The paths of the hostile and broken Office files in the corpus. */
const badOfficeFiles = ['bad', 'xlsx-bad'].flatMap((folder) =>
  corpusNames(folder)
    .filter((name) => /\.(docx|xlsx)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/**
 * The result of a file: rejected before a job exists (`before`), rejected in the stage `extract` of the job
 * (`atExtract`), or translated.
 */
type Fate = { before: string } | { atExtract: string } | 'translated';

/** The result for each file according to B 8 and C 7 "Documents", with words of the message. */
const fates: Record<string, Fate> = {
  'bad/deeply-nested.docx': { before: 'limit of 2,000' },
  'bad/empty-zip.docx': { before: 'not a Word' },
  'bad/entity-bomb.docx': { before: 'entity' },
  'bad/legacy-word-97-renamed.docx': { before: 'Office version before 2007' },
  'bad/malformed-xml.docx': { before: 'not well-formed' },
  'bad/missing-document-part.docx': { before: 'refers to a missing part' },
  'bad/nested-tables-3000.docx': { before: 'limit of 2,000' },
  'bad/no-text.docx': 'translated',
  'bad/over-1000000-elements.docx': { before: 'limit of 1,000,000' },
  'bad/over-2000000-chars.docx': { before: 'limit of 2,000,000' },
  'bad/over-50000-segments.docx': { atExtract: 'limit of 50,000' },
  'bad/password.docx': { before: 'password' },
  'bad/path-traversal.docx': { before: 'unsafe name' },
  'bad/pdf-renamed.docx': { before: 'not a zip' },
  'bad/truncated.docx': { before: 'not a zip' },
  'bad/xlsx-renamed.docx': { before: 'not a Word' },
  'bad/xml-part-over-80MB.docx': { before: 'limit of 80,000,000' },
  'bad/xxe.docx': { before: 'entity' },
  'bad/zip-bomb-lying-size.docx': { before: 'larger than declared' },
  'bad/zip-bomb-overlap.docx': { before: 'limit of 200,000,000' },
  'bad/zip-bomb-plain.docx': { before: 'limit of 200,000,000' },
  'xlsx-bad/docx-renamed.xlsx': { before: 'not an Excel' },
  'xlsx-bad/entity-bomb.xlsx': { before: 'entity' },
  // Macros are kept in the translated file.
  'xlsx-bad/macro-renamed.xlsx': 'translated',
  'xlsx-bad/over-2000000-chars.xlsx': { atExtract: 'limit of 2,000,000' },
  'xlsx-bad/over-50000-segments.xlsx': { atExtract: 'limit of 50,000' },
  'xlsx-bad/password.xlsx': { before: 'password' },
  'xlsx-bad/shared-string-index-out-of-range.xlsx': { before: 'shared string' },
  'xlsx-bad/shared-strings-over-80MB.xlsx': { before: 'limit of 80,000,000' },
  'xlsx-bad/truncated.xlsx': { before: 'not a zip' },
};

let killable: Killable;
let service: RunningService;
let person: Signup;
/** The memory of the service and its child processes before the first bad file, in MB. */
let before: number;
/** CPU time of the translation of a workbook of 24,000 texts, in milliseconds. Machines differ, so it is the measure. */
let translatedMs: number;
beforeAll(async () => {
  killable = killableBeside(app);
  service = await killable.start('api');
  person = await app.signUp();
  // With these requests, the service loads its modules, and starts one child process for small files and one for large
  // ones.
  await send('docx/math.docx');
  await send('xlsx/made-large-24000-strings.xlsx');
  const cpuBefore = cpuTimeWithChildren(service.pid);
  await send('xlsx/made-large-24000-strings.xlsx');
  translatedMs = cpuTimeWithChildren(service.pid) - cpuBefore;
  const memory = await watchMemory(service.pid);
  before = memory.first;
  await memory.stop();
});
afterAll(() => killable?.end());

async function send(path: string) {
  const form = new FormData();
  form.set('target_lang', 'fr');
  form.set('wait', 'true');
  const name = path.slice(path.indexOf('/') + 1);
  form.set('source_document', new File([new Uint8Array(corpusFile(path))], name));
  const response = await fetch(`${service.address}/api/documents/translate`, {
    method: 'POST',
    headers: person.headers,
    body: form,
  });
  return { status: response.status, body: (await response.json()) as { status?: string; detail?: string } };
}

const listed = async () =>
  (await app.json('GET', '/api/documents?limit=200', { headers: person.headers })).body;

describe('a bad Office file is rejected soon, and without much memory', () => {
  test('each file of the corpus has a line here', () => {
    expect(Object.keys(fates)).toEqual(badOfficeFiles);
  });

  test.each(Object.entries(fates))('%s', async (path, fate) => {
    const known: { id: string }[] = await listed();
    const memory = await watchMemory(service.pid, 10);
    const cpuBefore = cpuTimeWithChildren(service.pid);
    const { status, body } = await send(path);
    const cpuMs = cpuTimeWithChildren(service.pid) - cpuBefore;
    const peak = await memory.stop();
    const made = (await listed()).filter(({ id }: { id: string }) => !known.some((job) => job.id === id));
    if (fate === 'translated') {
      expect([status, body.status]).toEqual([200, 'translated']);
    } else {
      expect([status, body.detail]).toEqual([400, expect.stringContaining(Object.values(fate)[0]!)]);
      expect(
        made.map((job: { status: string; failure: { stage: string } }) => [job.status, job.failure.stage]),
      ).toEqual('before' in fate ? [] : [['failed', 'extract']]);
    }
    expect(peak - memory.first).toBeLessThan(100);
    // A child process may keep the memory of an earlier file.
    expect(peak - before).toBeLessThan(200);
    // CPU time is measured, not elapsed time, because other tests run at the same time. The largest part is 0.74.
    expect(cpuMs / translatedMs).toBeLessThan(1.2);
  });
});
