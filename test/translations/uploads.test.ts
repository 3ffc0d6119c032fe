import { afterEach, expect, test } from 'vitest';
import { SandboxError } from '#server/platform/sandbox/sandbox-error.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0)) one();
});

/** Makes all runs fail with `error` until the returned function is called, or the test ends. */
function breakRuns(what: { run: unknown }, error: Error): () => void {
  const { run } = what;
  const mend = () => {
    what.run = run;
  };
  undo.push(mend);
  what.run = async () => {
    throw error;
  };
  return mend;
}

async function upload(headers: Record<string, string>, ...files: File[]) {
  const form = new FormData();
  form.append('target_lang', 'fr');
  for (const file of files) form.append('source_document', file);
  const answer = await app.request('/api/translations', { method: 'POST', headers, body: form });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

test('with a full sandbox, files and renderings are 503 to retry, and plain texts still download', async () => {
  const { headers } = await app.signUp();
  const { body: jobs } = await upload(headers, new File(['Hello'], 'a.txt'));
  breakRuns(app.services.fileWork, new SandboxError('busy', 'too many files are being processed'));
  const golden = (format: string) =>
    app.request(`/api/translations/${jobs[0].id}/golden?format=${format}`, { headers });
  expect((await upload(headers, new File(['Hello'], 'a.txt'))).status).toBe(429);
  expect((await golden('pdf')).status).toBe(429);
  expect((await golden('txt')).status).toBe(200);
});

test('a sandbox that is being closed is a transient error, not a fault', async () => {
  const { headers } = await app.signUp();
  breakRuns(app.services.fileWork, new SandboxError('closed', 'closed'));
  const { status, body } = await upload(headers, new File(['Hello'], 'a.txt'));
  expect([status, body.error_code]).toEqual([503, 'transient_error']);
});

test('a file that crashes its reader is unreadable, and the next one is read', async () => {
  const { headers } = await app.signUp();
  const mend = breakRuns(app.services.fileWork, new SandboxError('crashed', 'signal 11'));
  expect((await upload(headers, new File(['Hello'], 'a.txt'))).status).toBe(400);
  mend();
  expect((await upload(headers, new File(['Hello'], 'a.txt'))).status).toBe(200);
});
