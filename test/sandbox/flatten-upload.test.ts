import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentKind } from '#server/formats/flatten/index.ts';
import { flattenUpload, openSandbox, type SandboxOptions } from '#server/sandbox/index.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';

const open = (options: SandboxOptions = {}) => {
  const sandbox = openSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
};

/** A PDF whose only stream is deflated twice: a few kilobytes of 400 MB. */
function twiceDeflated(): Uint8Array {
  const content = deflateSync(deflateSync(Buffer.alloc(400_000_000, 0x20)));
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n' +
        '3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>\nendobj\n' +
        `4 0 obj\n<</Length ${content.length}/Filter[/FlateDecode/FlateDecode]>>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\ntrailer<</Size 5/Root 1 0 R>>\n%%EOF\n'),
  ]);
}

describe('an upload is read in a sandbox', () => {
  it('20 files at a time, each its own text', async () => {
    const sandbox = open();
    const files = ['docx', 'pdf'].flatMap((folder) =>
      corpusNames(folder)
        .filter((name) => !name.endsWith('.txt'))
        .map((name) => ({ kind: documentKind(name, '')!, bytes: corpusFile(`${folder}/${name}`) })),
    );
    const all = Array.from({ length: 20 }, (_, index) => files[index % files.length]!);
    const texts = await Promise.all(all.map(({ kind, bytes }) => flattenUpload(sandbox, kind, bytes)));
    expect(new Set(texts).size).toBe(files.length);
    for (const [index, text] of texts.entries()) expect(text).toBe(texts[index % files.length]);
    expect(texts[files.findIndex(({ kind }) => kind === 'pdf')]).toContain('Personal Vitality Rebate');
    expect(sandbox.processIds.length).toBeLessThanOrEqual(2);
  });

  it('a refusal is the FlattenError that it was there', async () => {
    const sandbox = open();
    await expect(flattenUpload(sandbox, 'pdf', corpusFile('bad/password-user.pdf'))).rejects.toMatchObject({
      name: 'FlattenError',
      reason: 'protected',
    });
    await expect(flattenUpload(sandbox, 'txt', Buffer.from([0xff]))).rejects.toMatchObject({
      name: 'FlattenError',
      reason: 'not_text',
      message: expect.stringContaining('UTF-8'),
    });
  });

  it('a bomb that the format does not see is too large, and the next file is read', async () => {
    const sandbox = open({ processes: 1, memoryBytes: 250 * 2 ** 20 });
    await expect(flattenUpload(sandbox, 'pdf', twiceDeflated())).rejects.toMatchObject({
      name: 'FlattenError',
      reason: 'too_large',
      message: expect.stringContaining('memory'),
    });
    expect(await flattenUpload(sandbox, 'txt', Buffer.from('next'))).toBe('next');
  });

  it('a caller that went away ends the reading', async () => {
    const sandbox = open();
    const controller = new AbortController();
    const reading = flattenUpload(sandbox, 'pdf', corpusFile('pdf/type3-font.pdf'), controller.signal);
    controller.abort(new Error('gone'));
    await expect(reading).rejects.toThrow('gone');
  });

  it('a busy sandbox says nothing of the file', async () => {
    const sandbox = open({ processes: 1, queued: 0 });
    const first = flattenUpload(sandbox, 'txt', Buffer.from('first'));
    await expect(flattenUpload(sandbox, 'txt', Buffer.from('second'))).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'busy',
    });
    expect(await first).toBe('first');
  });
});
